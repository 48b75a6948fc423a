// PINs: a sheet that asks for one, and the list where they are set. A device can claim a player who has a
// PIN only with it. Scorers and the host set PINs; the host alone removes them.

import { Problem, getJson, sessionPath } from '../../core/api_client.js';
import { roleInSession } from '../../core/device_storage.js';
import { currentSession, playerName } from '../../core/session_store.js';
import { loadAllSentences, t } from '../../core/translator.js';
import { h, hiddenText } from '../../ui/elements.js';
import { fieldError } from '../../ui/fields.js';
import { announce, openSheet } from '../../ui/page.js';
import { playerLabel } from '../../ui/player_tokens.js';
import { section } from '../../ui/section.js';
import { warnOfTrouble, writeToGroup } from '../groups/group_client.js';

const PIN_PATTERN = /^\d{4,8}$/;

/**
 * Opens a sheet that asks for PINs. `fields`: [name, label] of each; `send(values)` sends them and throws if
 * refused, which the sheet shows at the field; `done()` runs once the sheet has closed.
 */
export function askPin({ title, what: explanation, fields, go, send, done: onDone }) {
  const inputs = fields.map(([name]) => h('input', {
    type: 'text', class: 'pin', inputmode: 'numeric', maxlength: 8, autocomplete: 'off',
    'data-key': `pin-${name}`, 'data-pointer': `/${name}`,
  }));
  const form = h('form', {
    class: 'asking', novalidate: true, oninput: () => fieldError(form),
    onsubmit: (event) => { event.preventDefault(); submit(); },
  }, explanation && h('p', { class: 'dim' }, explanation),
  fields.map(([, words], place) => h('label', { class: 'field' }, h('span', {}, words), inputs[place])),
  h('button', { type: 'submit', class: 'button big', 'data-key': 'pin-send' }, go));
  const dialog = openSheet(title, form);
  inputs[0].focus();

  async function submit() {
    fieldError(form);
    const values = Object.fromEntries(fields.map(([name], place) => [name, inputs[place].value.trim()]));
    const bad = fields.find(([name]) => !PIN_PATTERN.test(values[name]));
    if (bad) { fieldError(form, `/${bad[0]}`, t('door.pin_digits')); return; }
    try {
      await send(values);
      dialog.close(); // before onDone redraws the element that the focus returns to
      await onDone();
    } catch (trouble) {
      const faultyField = PIN_PROBLEMS.has(trouble.code) && fields[0][0];
      if (!(trouble instanceof Problem) || !faultyField
        || !fieldError(form, `/${faultyField}`, trouble.message))
        warnOfTrouble(trouble);
    }
  }
}

/** Problem codes about the PIN that proves who asks, which is the first field. */
const PIN_PROBLEMS = new Set(['wrong_pin', 'pin_needed', 'pin_locked']);

/** A folded list of players with buttons to set, change and remove their PINs. */
export async function pinsOfSession(id) {
  const [{ pins: set }] = await Promise.all([getJson(sessionPath(id, '/phones')), loadAllSentences()]);
  const host = roleInSession(id) === 'host';
  let withPin = set;
  const pinPath = (player) => sessionPath(id, `/players/${player}/pin`);

  const changed = (player, hasPin) => {
    withPin = [...withPin.filter((withPinId) => withPinId !== player), ...(hasPin ? [player] : [])];
    rows.tell(withPin);
    announce(t(hasPin ? 'door.pin_set' : 'door.pin_gone', { name: playerName(player) }));
  };
  const put = (player) => askPin({
    title: t('door.pin_of', { name: playerName(player) }), what: t('door.pin_what'), go: t('door.pin_keep'),
    fields: [!host && withPin.includes(player) && ['current', t('door.pin_now')],
      ['pin', t('door.pin_new')]].filter(Boolean),
    send: (values) => writeToGroup(pinPath(player), values, { method: 'PUT' }),
    done: () => changed(player, true),
  });
  const removePin = async (player) => {
    try {
      await writeToGroup(pinPath(player), undefined, { method: 'DELETE' });
      changed(player, false);
    } catch (trouble) {
      warnOfTrouble(trouble);
    }
  };
  const button = (key, words, player, onclick) =>
    h('button', { type: 'button', class: 'button', 'data-key': `${key}-${player}`, onclick }, words,
    hiddenText(`: ${playerName(player)}`));

  const pinRow = (player, hasPin) => h('li', { class: 'row' }, playerLabel(currentSession(), player),
    h('span', { class: 'pair' },
      host && hasPin && button('unpin', t('door.pin_take'), player, () => removePin(player)),
      button('pin', t(hasPin ? 'door.pin_change' : 'door.pin_put'), player, () => put(player))));
  const rows = section((playersWithPin) => h('ul', { class: 'rows' },
    currentSession().players.map(({ id: player }) => pinRow(player, playersWithPin.includes(player)))));
  rows.tell(withPin);
  return { node: h('details', { class: 'fold', 'data-key': 'pins' }, h('summary', {}, t('door.pins')),
    h('p', { class: 'dim' }, t('door.pins_what')), rows.node) };
}
