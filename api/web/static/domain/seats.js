// Everybody in the deal as a row of small plates: who is meant, what lies before each, whose turn it is.

import { aside, h } from '../ui/elements.js';
import { nameOf } from '../core/session_store.js';
import { hueOf, markerOf } from '../ui/player_tokens.js';
import { t } from '../core/translator.js';

/** `under(id)` stands below the name. With `pick` the plates are buttons, for those in `open`. */
export function row(state, ids, { under = () => null, turn = null, pick = null, open = ids, marked = () => false }) {
  return h('ol', { class: 'row-of', 'aria-label': t('record.round') }, ids.map((id) => {
    const content = [markerOf(state, id), h('bdi', { class: 'name' }, nameOf(id)), h('span', { class: 'has' }, under(id)),
      turn === id && aside(t('record.in_turn'))];
    const kind = `plate ${hueOf(state, id)}${turn === id ? ' turn' : ''}${marked(id) ? ' marked' : ''}`;
    return h('li', {}, pick === null ? h('div', { class: kind }, content)
      : h('button', { type: 'button', class: kind, 'data-key': `seat-${id}`, 'data-seat': id, disabled: !open.includes(id), onclick: () => pick(id) }, content));
  }));
}

/** Tricks taken as cards face down; said as a number to ears. */
export const pips = (count) => [
  h('span', { class: 'pips', 'aria-hidden': 'true' }, Array.from({ length: count }, () => h('i', {}))),
  count > 0 && aside(t('record.tricks', { count })),
];

/** From this player on, clockwise. */
export const from = (first, seats) => [...seats.slice(seats.indexOf(first)), ...seats.slice(0, seats.indexOf(first))];

export const forehandOf = ({ seats, deal }) => seats[(seats.indexOf(deal.dealer) + 1) % seats.length];
