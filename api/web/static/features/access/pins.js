// A sheet that asks for a PIN, and says beside the field what is wrong with it.

import { told } from '../groups/group_client.js';
import { h } from '../../ui/elements.js';
import { wrong } from '../../ui/fields.js';
import { sheet } from '../../ui/page.js';
import { Problem } from '../../core/api_client.js';
import { t } from '../../core/translator.js';

const LIKE_A_PIN = /^\d{4,8}$/;

/** `fields`: [name, words] of each that is asked; `send(values)` does it, throwing what is to be told; `done()` when the sheet is gone. */
export function askPin({ title, what, fields, go, send, done }) {
  const inputs = fields.map(([name]) => h('input', {
    type: 'text', class: 'pin', inputmode: 'numeric', maxlength: 8, autocomplete: 'off', 'data-key': `pin-${name}`, 'data-pointer': `/${name}`,
  }));
  const form = h('form', { class: 'asking', novalidate: true, oninput: () => wrong(form), onsubmit: (event) => { event.preventDefault(); submit(); } },
    what && h('p', { class: 'dim' }, what),
    fields.map(([, words], place) => h('label', { class: 'field' }, h('span', {}, words), inputs[place])),
    h('button', { type: 'submit', class: 'button big', 'data-key': 'pin-send' }, go));
  const dialog = sheet(title, form);
  inputs[0].focus();

  async function submit() {
    wrong(form);
    const values = Object.fromEntries(fields.map(([name], place) => [name, inputs[place].value.trim()]));
    const bad = fields.find(([name]) => !LIKE_A_PIN.test(values[name]));
    if (bad) { wrong(form, `/${bad[0]}`, t('door.pin_digits')); return; }
    try {
      await send(values);
      dialog.close(); // the focus goes back to where it came from, before that is drawn anew
      await done();
    } catch (trouble) {
      const about = AT_FAULT.has(trouble.code) && fields[0][0];
      if (!(trouble instanceof Problem) || !about || !wrong(form, `/${about}`, trouble.message)) told(trouble);
    }
  }
}

/** Refusals of what proves that one may: the first field. */
const AT_FAULT = new Set(['wrong_pin', 'pin_needed', 'pin_locked']);
