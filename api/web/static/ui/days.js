// From one day to another: two fields to choose them in, and the clock by which a day begins and ends.

import { h } from './elements.js';
import { t } from '../core/translator.js';

const two = (number) => String(number).padStart(2, '0');
const written = (date) => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;

/** Edits `wish.from` and `wish.to` and says when they have `changed`; an empty one is no bound. */
export const days = (wish, changed) => h('div', { class: 'fields' }, ['from', 'to'].map((which) =>
  h('label', { class: 'field', 'data-pointer': which }, h('span', {}, t(`statement.${which}`)),
    h('input', { type: 'date', name: which, value: wish[which], max: written(new Date()), 'data-key': which, onchange: (event) => { wish[which] = event.target.value; changed(); } }))));

/** The clock on this wall, as the server is told of it; a phone that does not know where it is leaves it to the server. */
export function clock() {
  const tz = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return tz?.includes('/') && !tz.startsWith('Etc/') ? { tz } : {};
}

/** Whether this moment comes before the end of a day; no day ends never. */
export function within(iso, day) {
  const [year, month, date] = day.split('-').map(Number);
  return day === '' || new Date(iso) < new Date(year, month - 1, date + 1);
}
