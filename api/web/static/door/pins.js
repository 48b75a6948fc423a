// PINs: with one, only who knows it may say that a phone is that player's. Set by anybody who writes, taken away by the host.

import { told, write } from '../circle/book.js';
import { aside, h } from '../dom.js';
import { dressed } from '../dressed.js';
import { evening, nameOf } from '../evening.js';
import { roleIn } from '../memory.js';
import { say } from '../page.js';
import { person } from '../players.js';
import { get, session } from '../server.js';
import { t } from '../words.js';
import { askPin } from './pin.js';
import { section } from './section.js';

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
