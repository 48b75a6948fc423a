// Whose phone is this? A tap on a name, and from then on everybody sees who wrote what.

import { keyed, told, write } from '../groups/group_client.js';
import { h } from '../../ui/elements.js';
import { evening, nameOf } from '../../core/session_store.js';
import { say, sheet } from '../../ui/page.js';
import { hueOf, markerOf } from '../../ui/player_tokens.js';
import { Problem, session } from '../../core/api_client.js';
import { t } from '../../core/translator.js';
import { askPin } from './pins.js';
import { own } from './access_rights.js';

const MOST = 40; // characters that a label may have
const HISSES = /[sxzß]$/i;

/** "Bos telefon", and of a name that hisses already without another s: as it will stand wherever somebody reads who wrote. */
function labelFor(name) {
  const hisses = HISSES.test(name);
  const label = t(hisses ? 'door.phone_of_s' : 'door.phone_of', { name });
  return Array.from(label).length <= MOST ? label : name;
}

/** Everybody's name to tap; `done()` when this phone is somebody's. */
export function names({ id, pins, done }) {
  const key = keyed();
  const take = async (player, more) => {
    const { name } = evening().players.find((one) => one.id === player);
    const body = { label: labelFor(name), player, ...more };
    const { token, ...phone } = await write(session(id, '/phones'), body, { key: key(body) });
    await own(id, token, phone);
    say(t('door.is_yours', { label: phone.label }));
  };
  const prove = (player) => askPin({
    title: t('door.pin_of', { name: nameOf(player) }), fields: [['pin', t('door.pin')]], go: t('door.pin_go'), send: ({ pin }) => take(player, { pin }), done,
  });
  const tapped = async (player) => {
    if (pins.includes(player)) { prove(player); return; }
    try {
      await take(player);
      await done();
    } catch (trouble) {
      if (trouble instanceof Problem && trouble.code === 'pin_needed') prove(player); // set since this was drawn
      else told(trouble);
    }
  };
  return h('div', { class: 'whose' }, evening().players.map(({ id: player }) => h('button', {
    type: 'button', class: `button ${hueOf(evening(), player)}`, 'data-key': `whose-${player}`, onclick: () => tapped(player),
  }, markerOf(evening(), player), h('bdi', {}, nameOf(player)))));
}

/** The same in a sheet, for who asks for it. */
export function askWhose({ id, pins, done }) {
  const dialog = sheet(t('door.whose'), [
    h('p', { class: 'dim' }, t('door.whose_what')),
    names({ id, pins, done: async () => { dialog.close(); await done(); } }),
  ]);
}
