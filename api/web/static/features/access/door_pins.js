// PINs: with one, only who knows it may say that a phone is that player's. Set by anybody who writes, taken away by the host.

import { told, write } from '../groups/group_client.js';
import { aside, h } from '../../ui/elements.js';
import { dressed } from '../../core/stylesheets.js';
import { evening, nameOf } from '../../core/session_store.js';
import { roleIn } from '../../core/device_storage.js';
import { say } from '../../ui/page.js';
import { person } from '../../ui/player_tokens.js';
import { get, session } from '../../core/api_client.js';
import { t } from '../../core/translator.js';
import { askPin } from './pins.js';
import { section } from '../../ui/section.js';

/** Everybody with what there is to do about his PIN, folded away. */
export async function pins(id) {
  const [{ pins: set }] = await Promise.all([get(session(id, '/phones')), dressed('door')]);
  const host = roleIn(id) === 'host';
  let withPin = set;
  const at = (player) => session(id, `/players/${player}/pin`);

  const changed = (player, there) => {
    withPin = [...withPin.filter((one) => one !== player), ...(there ? [player] : [])];
    rows.tell(withPin);
    say(t(there ? 'door.pin_set' : 'door.pin_gone', { name: nameOf(player) }));
  };
  const put = (player) => askPin({
    title: t('door.pin_of', { name: nameOf(player) }), what: t('door.pin_what'), go: t('door.pin_keep'),
    fields: [!host && withPin.includes(player) && ['current', t('door.pin_now')], ['pin', t('door.pin_new')]].filter(Boolean),
    send: (values) => write(at(player), values, { method: 'PUT' }), done: () => changed(player, true),
  });
  const takeAway = async (player) => {
    try {
      await write(at(player), undefined, { method: 'DELETE' });
      changed(player, false);
    } catch (trouble) {
      told(trouble);
    }
  };
  const button = (key, words, player, onclick) => h('button', { type: 'button', class: 'button', 'data-key': `${key}-${player}`, onclick }, words, aside(`: ${nameOf(player)}`));

  const rows = section((there) => h('ul', { class: 'rows' }, evening().players.map(({ id: player }) => h('li', { class: 'row' }, person(evening(), player),
    h('span', { class: 'pair' },
      host && there.includes(player) && button('unpin', t('door.pin_take'), player, () => takeAway(player)),
      there.includes(player) ? button('pin', t('door.pin_change'), player, () => put(player)) : button('pin', t('door.pin_put'), player, () => put(player)))))));
  rows.tell(withPin);
  return { node: h('details', { class: 'fold', 'data-key': 'pins' }, h('summary', {}, t('door.pins')), h('p', { class: 'dim' }, t('door.pins_what')), rows.node) };
}
