// Numbers to tap.

import { t } from '../core/translator.js';
import { h, icon } from './elements.js';
import { sideNames } from './scoreboard.js';

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
