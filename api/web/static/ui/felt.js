// The card table from above: the seats clockwise from the bottom edge, and what lies in the middle. The
// caller fills each seat.

import { t } from '../core/translator.js';
import { amountPlayedFor } from '../domain/amounts.js';
import { h, svg } from './elements.js';
import { hint } from './help.js';

const SEAT_RADIUS_X = 36; // % from the centre to a seat, sideways
const SEAT_RADIUS_Y = 40; // % from the centre to a seat, up and down
const CROWDED_SEATS = 6; // with more seats they sit closer

/** The seats in order, beginning with this player, if he sits. */
const rotateSeats = (seats, firstSeat) => {
  const firstPlace = Math.max(0, seats.indexOf(firstSeat));
  return [...seats.slice(firstPlace), ...seats.slice(0, firstPlace)];
};

/** A round table; `first` sits at the bottom edge. `seat(id)` makes each seat, `centre` lies on the cloth. */
export function felt({ seats, seat, centre, label, first: firstSeat = null }) {
  const places = rotateSeats(seats, firstSeat).map((id, index) => {
    // Clockwise on the table is clockwise on the screen, whose y axis points down.
    const angle = Math.PI / 2 + (2 * Math.PI * index) / seats.length;
    const item = h('li', { class: 'place' }, seat(id));
    item.style.setProperty('--x', `${(50 + SEAT_RADIUS_X * Math.cos(angle)).toFixed(2)}%`);
    item.style.setProperty('--y', `${(50 + SEAT_RADIUS_Y * Math.sin(angle)).toFixed(2)}%`);
    return item;
  });
  return h('div', { class: seats.length > CROWDED_SEATS ? 'room crowd' : 'room' },
    h('section', { class: `felt seats${seats.length}`, 'aria-label': label },
      h('div', { class: 'cloth', 'aria-hidden': 'true' }),
      h('div', { class: 'centre' }, centre),
      h('ol', { class: 'places' }, places)));
}

// A pile of coins that grows with the number of stakes. Decoration: the sum stands beside it.
const MAX_COINS = 7;

export function coins(amount, stake) {
  if (amount === 0) return null;
  // Doubling piles: 1, 2, 4, 8 … stakes add a coin each, so that a big pot looks big but fits the table.
  let count = 0;
  for (let worth = stake; worth <= amount && count < MAX_COINS; worth *= 2) count += 1;
  if (count === 0) count = 1;
  const top = 27 - (count - 1) * 4.4;
  return svg('svg', { class: 'coins', viewBox: `0 ${top} 40 ${44 - top}`, 'aria-hidden': 'true' },
    svg('ellipse', { class: 'shadow', cx: 20, cy: 38, rx: 17, ry: 5.5 }),
    Array.from({ length: count }, (_, level) => svg('g', { transform: `translate(0 ${-level * 4.4})` },
      svg('path', { class: 'edge', d: 'M5 33v4c0 2.800 6.700 5 15 5s15-2.200 15-5v-4z' }),
      svg('ellipse', { class: 'face', cx: 20, cy: 33, rx: 15, ry: 5 }))));
}

// The middle of the table in a game for money: the pot and the amount played for.
export function potOnCloth(state, money, topic) {
  const open = state.deal.phase !== 'waiting';
  return [
    h('p', { class: 'over' }, t('table.pot'), hint(topic)),
    coins(state.pot, state.options.stake),
    h('p', { class: 'pot' }, money.plain(state.pot)),
    state.status === 'open' && h('p', { class: 'under' },
      t(open ? 'table.played_for' : 'table.next_for', { amount: money.plain(amountPlayedFor(state)) })),
  ];
}
