// Points as they stand on a sheet: whole numbers with a real minus, kept for players or for two partners.
// Does not know what they are given for.

import { h } from '../ui/elements.js';
import { nameOf } from '../core/session_store.js';
import { markerOf, person } from '../ui/player_tokens.js';
import { together } from '../core/translator.js';

/** Whether this evening keeps a sheet of points instead of a pot. */
export const forPoints = (state) => state.scores !== null && state.scores !== undefined;

export const figure = (points) => String(points).replace('-', '−');
export const signed = (points) => (points > 0 ? `+${points}` : figure(points));

/** `p1+p3` are two people, `p2` is one. */
export const members = (keeper) => keeper.split('+');

/** Whose score a player's tricks go to: his own, or that of his side. */
const keeperOf = (state, id) => Object.keys(state.scores).find((keeper) => members(keeper).includes(id));

export const namesOf = (keeper) => together(members(keeper).map(nameOf));

/** One person, or two partners as one. */
export const party = (state, keeper) => h('span', { class: 'party' }, members(keeper).map((id) => person(state, id)));

export const markersOf = (state, keeper) => h('span', { class: 'markers' }, members(keeper).map((id) => markerOf(state, id)));

/** What the evening has brought everybody: no payment between people takes it away. */
export const stands = ({ results, balances }) => results ?? balances;

/** What everybody sees of how somebody stands: money if it is for money, else points. */
export function worth(state, id, money) {
  const result = stands(state)?.[id];
  if (!forPoints(state)) return { text: money.signed(result), sign: sign(result) };
  const points = state.scores[keeperOf(state, id)];
  return { text: figure(points), sign: '' };
}

export const sign = (amount) => (amount < 0 ? 'minus' : amount > 0 ? 'plus' : '');
