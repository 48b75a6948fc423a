// Players: each has a colour, a shape and a letter, so that no one needs to see all three.

import { playerName } from '../core/session_store.js';
import { t } from '../core/translator.js';
import { h, hiddenText, svg } from './elements.js';

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

/** Whether two names would be taken for one. */
export const isSameName = (name, otherName) =>
  name.trim().toLocaleLowerCase() === otherName.trim().toLocaleLowerCase();

const playerIndex = (state, id) => state.players.findIndex((player) => player.id === id);

/** The class of a player's colour. */
export const hueClass = (index) => `hue${index % HUES}`;
export const hueOfPlayer = (state, id) => hueClass(Math.max(0, playerIndex(state, id)));

/** One letter, or two where the first is shared: Ada is A when no other name begins with A. */
export function tokenLetters(name, names) {
  const letters = Array.from(name.trim());
  const firstLetter = (letters[0] ?? '?').toLocaleUpperCase();
  const shared = names.filter((otherName) => (Array.from(otherName.trim())[0] ?? '?')
    .toLocaleUpperCase() === firstLetter).length > 1;
  return shared && letters.length > 1 ? firstLetter + letters[1] : firstLetter;
}

/** A player's token; decoration, the name stands beside it. */
export function playerToken(index, letter) {
  return svg('svg', { class: `marker ${hueClass(index)}`, viewBox: '0 0 40 40', 'aria-hidden': 'true' },
    SHAPES[index % SHAPES.length](),
    svg('text', { x: 20, y: 20, 'text-anchor': 'middle', 'dominant-baseline': 'central',
      'font-size': letter.length > 1 ? 15 : 19 }, letter));
}

export function tokenOfPlayer(state, id) {
  const index = Math.max(0, playerIndex(state, id));
  const names = state.players.map((player) => player.name);
  return playerToken(index, tokenLetters(names[index] ?? '?', names));
}

/** Token and name, as in lists and sentences. */
export function playerLabel(state, id) {
  const name = state.players[playerIndex(state, id)]?.name ?? id;
  return h('span', { class: `person ${hueOfPlayer(state, id)}` }, tokenOfPlayer(state, id),
    h('bdi', { class: 'name' }, name));
}

/**
 * The players as a row of plates; `caption(id)` stands below the name. With `pick` the plates in `open` are
 * buttons.
 */
export function playerRow(state, ids, { caption = () => null, turn = null, pick = null, open = ids,
  marked = () => false }) {
  return h('ol', { class: 'row-of', 'aria-label': t('record.round') }, ids.map((id) => {
    const content = [tokenOfPlayer(state, id), h('bdi', { class: 'name' }, playerName(id)),
      h('span', { class: 'has' }, caption(id)),
      turn === id && hiddenText(t('record.in_turn'))];
    const kind = `plate ${hueOfPlayer(state, id)}${turn === id ? ' turn' : ''}${marked(id) ? ' marked' : ''}`;
    return h('li', {}, pick === null ? h('div', { class: kind }, content)
      : h('button', { type: 'button', class: kind, 'data-key': `seat-${id}`, 'data-seat': id,
        disabled: !open.includes(id), onclick: () => pick(id) }, content));
  }));
}

/** Tricks taken as face-down cards; a number for screen readers. */
export const trickPips = (count) => [
  h('span', { class: 'pips', 'aria-hidden': 'true' }, Array.from({ length: count }, () => h('i', {}))),
  count > 0 && hiddenText(t('record.tricks', { count })),
];
