// The members as people at a table: the same tokens, and a sum beside each. Draws; asks nobody.

import { signClass } from '../domain/points.js';
import { h, hiddenText } from './elements.js';
import { playerLabel, tokenOfPlayer } from './player_tokens.js';

export const memberIndex = (members, id) => members.findIndex((member) => member.id === id);
export const memberName = (members, id) => members[memberIndex(members, id)]?.name ?? id;

export const memberToken = (members, id) => tokenOfPlayer({ players: members }, id);
export const memberLabel = (members, id) => playerLabel({ players: members }, id);

const sortBySum = (amounts) => Object.entries(amounts).sort(([, amount], [, nextAmount]) =>
  nextAmount - amount);

/** Who stands how: the one who has most first. */
export const memberSums = (members, amounts, money) =>
  h('span', { class: 'shares' }, sortBySum(amounts).map(([id, amount]) =>
  h('span', { class: 'one' }, memberLabel(members, id), ' ', h('b', {}, money.signed(amount)))));

/** The same in a line of a list, where the tokens speak for the names. */
export const sessionResult = (members, amounts, money) =>
  h('span', { class: 'brought' }, sortBySum(amounts).map(([id, amount]) =>
  h('span', { class: 'one' }, memberToken(members, id), hiddenText(memberName(members, id)),
    h('b', { class: signClass(amount) }, money.bare(amount) || '0'))));
