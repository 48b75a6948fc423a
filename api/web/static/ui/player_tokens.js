// Who is who: every player has a colour, a shape and a letter, so that no one needs to see all three.

import { h, svg } from './elements.js';

const SHAPES = [
  () => svg('circle', { cx: 20, cy: 20, r: 17 }),
  () => svg('rect', { x: 4, y: 4, width: 32, height: 32, rx: 6 }),
  () => svg('path', { d: 'M20 1.5L38.5 20 20 38.5 1.5 20z' }),
  () => svg('path', { d: 'M20 2l16 9v18l-16 9-16-9V11z' }),
  () => svg('path', { d: 'M20 2l18 13.5-7 22H9l-7-22z' }),
  () => svg('path', { d: 'M13 3h14l10 10v14L27 37H13L3 27V13z' }),
  () => svg('path', { d: 'M4 4h32v14c0 10-7 16-16 20C11 34 4 28 4 18z' }),
];

const HUES = 7;

/** Whether two names would be one at the table. */
export const same = (one, other) => one.trim().toLocaleLowerCase() === other.trim().toLocaleLowerCase();

const place = (state, id) => state.players.findIndex((player) => player.id === id);

/** The class that carries a player's colour. */
export const hue = (index) => `hue${index % HUES}`;
export const hueOf = (state, id) => hue(Math.max(0, place(state, id)));

/** One letter, or two where the first is shared: Ada is A when nobody else is. */
export function initial(name, names) {
  const letters = Array.from(name.trim());
  const first = (letters[0] ?? '?').toLocaleUpperCase();
  const shared = names.filter((other) => (Array.from(other.trim())[0] ?? '?').toLocaleUpperCase() === first).length > 1;
  return shared && letters.length > 1 ? first + letters[1] : first;
}

/** The drawn token of a player; decoration, the name always stands beside it. */
export function marker(index, letter) {
  return svg('svg', { class: `marker ${hue(index)}`, viewBox: '0 0 40 40', 'aria-hidden': 'true' },
    SHAPES[index % SHAPES.length](),
    svg('text', { x: 20, y: 20, 'text-anchor': 'middle', 'dominant-baseline': 'central',
      'font-size': letter.length > 1 ? 15 : 19 }, letter));
}

export function markerOf(state, id) {
  const index = Math.max(0, place(state, id));
  const names = state.players.map((player) => player.name);
  return marker(index, initial(names[index] ?? '?', names));
}

/** Token and name, as they stand in lists and sentences. */
export function person(state, id) {
  const name = state.players[place(state, id)]?.name ?? id;
  return h('span', { class: `person ${hueOf(state, id)}` }, markerOf(state, id), h('bdi', { class: 'name' }, name));
}
