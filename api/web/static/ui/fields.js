// Form fields: groups, pills, choices, amounts to type, numbers to tap, and the errors beside them.

import { currencyName, language, t } from '../core/translator.js';
import { currencyDigits } from '../domain/amounts.js';
import { addAttributes, buildElement, h } from './elements.js';
import { actionButton, iconButton } from './page.js';
import { sideNames } from './player_tokens.js';

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
    help && h('small', { class: 'muted' }, help));
}

export const currencySelect = (codes, value, pick) => choiceField({ name: 'currency',
  words: t('opening.currency'), values: codes.map((code) => [code, currencyName(code)]), value, pick });

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
  (field.closest('label, li') ?? field).append(
    buildElement(h('p', { class: 'wrong', role: 'alert', id }, detail)));
  input?.focus();
  return true;
}

/**
 * A field for the name of somebody new, with its button. `add(name)` adds the name, and resolves to whether
 * it did: the field is then emptied. Returns `{ node, input, addTyped }`; `addTyped()` adds a name that is
 * typed without a tap on the button, and resolves to whether the field is empty. One name is added at a time.
 */
export function newcomerField({ key, label, placeholder = t('opening.name'), add }) {
  const addName = async () => {
    const name = input.value.trim();
    // the next name may have been typed meanwhile
    if (name !== '' && await add(name) && input.value.trim() === name) input.value = '';
    return input.value.trim() === '';
  };
  let pending = null;
  const addTyped = () => {
    pending ??= addName().finally(() => { pending = null; });
    return pending;
  };
  const submit = () => (input.value.trim() === '' ? input.focus() : addTyped());
  const input = buildElement(h('input', {
    type: 'text', maxlength: 40, autocomplete: 'off', autocapitalize: 'words', spellcheck: 'false',
    enterkeyhint: 'done', placeholder, 'aria-label': label, 'data-key': key,
    onkeydown: (event) => { if (event.key === 'Enter') { event.preventDefault(); submit(); } },
  }));
  const button = actionButton(`${key}-add`, t('seating.add'), submit);
  return { input, addTyped, node: buildElement(h('div', { class: 'copy-field' }, input, button)) };
}

/**
 * An amount as users type it and banking apps accept it: 4000 → "40", 1250 → "12,50". Works on digits, to
 * avoid floats.
 */
export function formatTypedAmount(amount, currency) {
  const places = currencyDigits(currency);
  const text = String(amount).padStart(places + 1, '0');
  const [wholePart, parts] = places === 0 ? [text, ''] : [text.slice(0, -places), text.slice(-places)];
  return /^0*$/.test(parts) ? wholePart : `${wholePart}${language() === 'en' ? '.' : ','}${parts}`;
}

/** A pad of numbers, each as large as a thumb. */
export const numberPad =
  (name, numbers, { chosen = null, may = () => true, pick, words = String, keyPrefix = 'pad' }) =>
  h('div', { class: 'number-pad', role: 'group', 'aria-label': name },
  numbers.map((number) => h('button', {
    type: 'button', class: 'number-key', 'data-key': `${keyPrefix}-${number}`,
    'aria-pressed': String(number === chosen), disabled: !may(number), onclick: () => pick(number),
  }, words(number))));

export const numbersUpTo = (highest, lowest = 0) =>
  Array.from({ length: highest - lowest + 1 }, (_, index) => index + lowest);

/** A button that counts one more or one less, and goes on while its key is held. */
export const stepperButton = (way, id, disabled, onclick) => addAttributes(
  iconButton(`${way}-${id}`, way === 'less' ? 'minus' : 'plus',
    t(`count.${way}`, { name: sideNames(id) }), onclick, disabled),
  { 'data-repeats': '' });
