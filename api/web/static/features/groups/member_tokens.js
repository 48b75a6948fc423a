// The members as people at a table: the same tokens, and a sum beside each. Draws; asks nobody.

import { aside, h } from '../../ui/elements.js';
import { markerOf, person } from '../../ui/player_tokens.js';
import { sign } from '../../domain/points.js';

export const placeOf = (members, id) => members.findIndex((member) => member.id === id);
export const called = (members, id) => members[placeOf(members, id)]?.name ?? id;

export const face = (members, id) => markerOf({ players: members }, id);
export const member = (members, id) => person({ players: members }, id);

const mostFirst = (amounts) => Object.entries(amounts).sort(([, one], [, other]) => other - one);

/** Who stands how: the one who has most first. */
export const sums = (members, amounts, money) => h('span', { class: 'shares' }, mostFirst(amounts).map(([id, amount]) =>
  h('span', { class: 'one' }, member(members, id), ' ', h('b', {}, money.signed(amount)))));

/** The same in a line of a list, where the tokens speak for the names. */
export const brought = (members, amounts, money) => h('span', { class: 'brought' }, mostFirst(amounts).map(([id, amount]) =>
  h('span', { class: 'one' }, face(members, id), aside(called(members, id)), h('b', { class: sign(amount) }, money.bare(amount) || '0'))));
