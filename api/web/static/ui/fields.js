// Form fields: groups, pills, choices, numbers to tap, names, periods of two dates; and the errors beside
// them.

import { t } from '../core/translator.js';
import { h, icon } from './elements.js';
import { actionButton, refillPart } from './page.js';
import { isSameName, playerToken, sideNames, tokenLetters } from './player_tokens.js';

export const fieldset = (legend, hint, ...content) => h('fieldset', { 'aria-label': legend },
  h('legend', {}, legend, hint), content);

/** A choice of one; radio buttons underneath, so that arrow keys and screen readers work. */
export const pillGroup = (name, choices, chosen, pick) =>
  h('div', { class: 'pills' }, choices.map(([value, words]) =>
  h('label', { class: 'pill' },
    h('input', { type: 'radio', name, value: String(value), checked: value === chosen,
      onchange: () => pick(value) }),
    h('span', {}, words))));

export function choiceField({ name, words, help, values, value, pick }) {
  return h('label', { class: 'field' }, h('span', {}, words),
    h('select', { name, onchange: (event) => pick(values[event.target.selectedIndex][0]) },
      values.map(([option, text]) => h('option', { value: String(option), selected: option === value },
        text))),
    help && h('small', { class: 'dim' }, help));
}

/**
 * Shows an error beside the field that it is about; without a pointer it clears all. Returns whether a field
 * was found.
 */
export function fieldError(form, pointer = null, detail = '') {
  if (pointer === null) {
    for (const old of form.querySelectorAll('.wrong')) old.remove();
    for (const field of form.querySelectorAll('[aria-invalid]')) {
      field.removeAttribute('aria-invalid');
      field.removeAttribute('aria-describedby');
    }
    return false;
  }
  const field = form.querySelector(`[data-pointer="${CSS.escape(pointer)}"]`)
    ?? form.querySelector(`[data-pointer="${CSS.escape(pointer.split('/').slice(0, -1).join('/'))}"]`);
  if (field === null) return false;
  const id = `wrong-${pointer}`;
  const input = field.matches('input, select') ? field : field.querySelector('input');
  input?.setAttribute('aria-invalid', 'true');
  input?.setAttribute('aria-describedby', id);
  (field.closest('label, li') ?? field).append(h('p', { class: 'wrong', role: 'alert', id }, detail));
  input?.focus();
  return true;
}

/** A pad of numbers, each as large as a thumb. */
export const numberPad =
  (name, numbers, { chosen = null, may = () => true, pick, words = String, said: labelOf = null }) =>
  h('div', { class: 'pad', role: 'group', 'aria-label': name },
  numbers.map((number) => h('button', {
    type: 'button', class: 'key', 'data-key': `${labelOf ?? 'pad'}-${number}`,
    'aria-pressed': String(number === chosen), disabled: !may(number), onclick: () => pick(number),
  }, words(number))));

export const numbersUpTo = (highest, lowest = 0) =>
  Array.from({ length: highest - lowest + 1 }, (_, index) => index + lowest);

export const stepperRow = (way, id, disabled, onclick) => h('button', {
  type: 'button', class: 'round', 'data-key': `${way}-${id}`, 'data-repeats': '', disabled, onclick,
  'aria-label': t(`count.${way}`, { name: sideNames(id) }),
}, icon(way === 'less' ? 'minus' : 'plus'));

/**
 * Edits `names` in place. The form around it clears errors at every letter. `rest()` returns the text in the
 * field that is not on the list yet.
 */
export function nameList(names) {
  const list = h('ul', { class: 'roll', 'data-pointer': '/members' });
  const field =
    h('input', { type: 'text', maxlength: 40, autocomplete: 'off', autocapitalize: 'words',
    spellcheck: 'false', enterkeyhint: 'next',
    placeholder: t('opening.name'), 'aria-label': t('circle.new_member'), 'data-key': 'member',
    onkeydown: (event) => { if (event.key === 'Enter'
      && field.value.trim() !== '') { event.preventDefault(); add(); } } });

  function add() {
    const name = field.value.trim();
    field.focus();
    if (name === '') return;
    // The next letter removes the error, as in any other field.
    if (names.some((listed) => isSameName(listed, name))) {
      fieldError(node);
      node.append(h('p', { class: 'wrong', role: 'alert' }, t('opening.same_name')));
      return;
    }
    names.push(name);
    field.value = '';
    draw();
  }

  const draw = () => refillPart(list, names.map((name, index) => h('li', { class: 'one' },
    playerToken(index, tokenLetters(name, names)),
    h('bdi', { class: 'name', 'data-pointer': `/members/${index}/name` }, name),
    h('button', { type: 'button', class: 'round', 'aria-label': t('opening.remove', { name }),
      onclick: () => { names.splice(index, 1); draw(); field.focus(); } }, icon('cross')))));

  const node =
    h('div', { class: 'enrolling' }, list, h('div', { class: 'copying' }, field,
    actionButton('member-add', t('seating.add'), add)));
  draw();
  return { node, rest: () => field.value.trim() };
}

const twoDigits = (number) => String(number).padStart(2, '0');
const isoDate =
  (date) => `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;

/** Edits `wish.from` and `wish.to`, and calls `changed`; an empty field is no bound. */
export const dayFields = (wish, changed) => h('div', { class: 'fields' }, ['from', 'to'].map((bound) =>
  h('label', { class: 'field', 'data-pointer': bound }, h('span', {}, t(`statement.${bound}`)),
    h('input', { type: 'date', name: bound, value: wish[bound], max: isoDate(new Date()), 'data-key': bound,
      onchange: (event) => { wish[bound] = event.target.value; changed(); } }))));

/** The time zone of this device, as a query parameter; without one the server uses its own. */
export function clockTime() {
  const tz = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return tz?.includes('/') && !tz.startsWith('Etc/') ? { tz } : {};
}

/** Whether a moment lies before the end of a day; without a day it always does. */
export function isWithin(iso, day) {
  const [year, month, date] = day.split('-').map(Number);
  return day === '' || new Date(iso) < new Date(year, month - 1, date + 1);
}
