// The card table from above: everybody where they sit, clockwise from the bottom edge.
// Draws places; what stands at a place is the caller's (a balance, or a button to tap).

import { h } from './elements.js';

const WIDE = 36;  // % from the middle to a seat, sideways
const TALL = 40;  // % from the middle to a seat, up and down
const MANY = 6;   // more than so many sit closer

/** The seats in their order, beginning with this player, if one of them is. */
const beginning = (seats, first) => {
  const at = Math.max(0, seats.indexOf(first));
  return [...seats.slice(at), ...seats.slice(0, at)];
};

/** A round table; `first` sits at the bottom edge. `seat(id)` makes each place, `centre` lies on the cloth. */
export function felt({ seats, seat, centre, label, first = null }) {
  const places = beginning(seats, first).map((id, index) => {
    // Clockwise on the table is clockwise on the screen, whose y axis points down.
    const angle = Math.PI / 2 + (2 * Math.PI * index) / seats.length;
    const item = h('li', { class: 'place' }, seat(id));
    item.style.setProperty('--x', `${(50 + WIDE * Math.cos(angle)).toFixed(2)}%`);
    item.style.setProperty('--y', `${(50 + TALL * Math.sin(angle)).toFixed(2)}%`);
    return item;
  });
  return h('div', { class: seats.length > MANY ? 'room crowd' : 'room' },
    h('section', { class: `felt seats${seats.length}`, 'aria-label': label },
      h('div', { class: 'cloth', 'aria-hidden': 'true' }),
      h('div', { class: 'centre' }, centre),
      h('ol', { class: 'places' }, places)));
}
