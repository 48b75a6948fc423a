// How a shared cost is divided, as ledger/session/cost_division.py does it (docs/rules.md §10.2), and what
// one that is not sent yet will lead to.

import { sumOf } from '../domain/amounts.js';

/** The state with this cost recorded. Nobody wins or loses by it: the results stay. */
export function forecastCost(state, { payer, amount, parts }) {
  const number = nextCostNumber(state);
  const shares = divideCost(amount, partsOfEverybody(state, parts ?? null), number);
  const balances = { ...state.balances };
  balances[payer] += amount;
  for (const share of shares) balances[share.player] -= share.amount;
  const cost = { number, payer, amount, shares, status: 'recorded' };
  return { ...state, balances, costs: [...state.costs ?? [], cost], provisional: true };
}

/** Whether the server has this cost already, although its answer has not arrived. */
export const hasArrived = ({ costs = [] }, { tried, note, body }) => tried && costs.some((cost) =>
  cost.number === note.cost && cost.payer === body.payer && cost.amount === body.amount);

/**
 * The shares of a cost, in whole units. `parts`: [player, parts] in the order in which the players joined.
 * Units left over go one each to the largest remainders; among equal ones the turn goes round by the number.
 */
export function divideCost(amount, parts, number) {
  const sharers = parts.filter(([, count]) => count > 0);
  const total = sumOf(sharers.map(([, count]) => count));
  const first = (number - 1) % sharers.length;
  const shares = sharers.map(([player, count], place) => ({
    player, parts: count, amount: Math.floor(amount * count / total), remainder: amount * count % total,
    turn: (place - first + sharers.length) % sharers.length,
  }));
  const unitsLeft = amount - sumOf(shares.map((share) => share.amount));
  [...shares].sort((share, nextShare) => nextShare.remainder - share.remainder || share.turn - nextShare.turn)
    .slice(0, unitsLeft).forEach((share) => { share.amount += 1; });
  return shares.map(({ player, parts: count, amount: share }) => ({ player, parts: count, amount: share }));
}

/** [player, parts] of everybody, from the parts of a request: null is one part each. */
export const partsOfEverybody = ({ players }, parts) =>
  players.map(({ id }) => [id, parts === null ? 1 : parts[id] ?? 0]);

/** Whether somebody but the payer bears a part. */
export const isShared = (parts, payer) => parts.some(([player, count]) => player !== payer && count > 0);

export const nextCostNumber = ({ costs = [] }) => costs.length + 1;
