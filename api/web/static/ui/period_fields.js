// A period of two dates, and the time zone in which its days begin and end.

import { t } from '../core/translator.js';
import { h } from './elements.js';

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
