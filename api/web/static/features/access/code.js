// A short code as people say, read and type it.

import { aside, h } from '../../ui/elements.js';
import { language, moment } from '../../core/translator.js';

export const LENGTH = 6;

/** What was typed, without what people put between; nothing else is guessed at. */
export const typed = (text) => text.toLocaleUpperCase('en').replace(/[^A-Z0-9]/g, '').slice(0, LENGTH);

/** Big, in two halves, digits unlike letters; for ears one sign at a time. */
export function shown(code) {
  const signs = Array.from(code);
  const half = (from, to) => h('span', {}, signs.slice(from, to).map((sign) => h('span', { class: /\d/.test(sign) ? 'digit' : null }, sign)));
  return h('p', { class: 'to-say', 'data-code': code }, h('span', { class: 'halves', 'aria-hidden': 'true' }, half(0, 3), half(3)), aside(signs.join(' ')));
}

const NIGHT = 12 * 3_600_000; // ms that need no day said: an evening goes on past midnight

/** The time of day, as clocks at a table have it; with the day when that is not clear. */
export const clock = (iso) => (Math.abs(Date.now() - Date.parse(iso)) > NIGHT ? moment(iso)
  : new Intl.DateTimeFormat(language(), { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(new Date(iso)));
