// The members of a group: the same tokens as players, and a sum beside each.

import { signClass } from '../domain/amounts.js';
import { h, hiddenText } from './elements.js';
import { playerLabel, tokenOfPlayer } from './player_tokens.js';

export const memberIndex = (members, id) => members.findIndex((member) => member.id === id);
export const memberName = (members, id) => members[memberIndex(members, id)]?.name ?? id;

export const memberToken = (members, id) => tokenOfPlayer({ players: members }, id);
export const memberLabel = (members, id) => playerLabel({ players: members }, id);

const sortBySum = (amounts) => Object.entries(amounts).sort(([, amount], [, nextAmount]) =>
  nextAmount - amount);

/** The members' sums, highest first. */
export const memberSums = (members, amounts, money) =>
  h('span', { class: 'shares' }, sortBySum(amounts).map(([id, amount]) =>
  h('span', { class: 'one' }, memberLabel(members, id), ' ', h('b', {}, money.signed(amount)))));

/** The same in one line, where the tokens stand for the names. */
export const sessionResult = (members, amounts, money) =>
  h('span', { class: 'brought' }, sortBySum(amounts).map(([id, amount]) =>
  h('span', { class: 'one' }, memberToken(members, id), hiddenText(memberName(members, id)),
    h('b', { class: signClass(amount) }, money.bare(amount) || '0'))));
