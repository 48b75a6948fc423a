// How a shared cost is divided, as ledger/session/cost_division.py does it (docs/rules.md §10.2), and what
// one that is not sent yet will lead to.

import { sumOf } from '../domain/amounts.js';

/**
 * The state after a write that waits: a cost recorded, corrected, or taken back. Nobody wins or loses by it:
 * the results stay.
 */
export function forecastCost(state, { method, note: { cost: number }, body }) {
  const recorded = state.costs?.find((cost) => cost.number === number);
  const balances = { ...state.balances };
  if (recorded?.status === 'recorded') bookCost(balances, recorded, -1);
  const cost = method === 'DELETE' ? { ...recorded, status: 'voided' } : { number, payer: body.payer,
    amount: body.amount, status: 'recorded',
    shares: divideCost(body.amount, partsOfEverybody(state, body.parts ?? null), number) };
  if (cost.status === 'recorded') bookCost(balances, cost, 1);
  const others = (state.costs ?? []).filter((other) => other !== recorded);
  const costs = [...others, cost].sort((first, second) => first.number - second.number);
  return { ...state, balances, costs, provisional: true };
}

/** Adds a cost to the balances; `sign` -1 takes it out again. */
function bookCost(balances, { payer, amount, shares }, sign) {
  balances[payer] += sign * amount;
  for (const share of shares) balances[share.player] -= sign * share.amount;
}

/** Whether the server has this new cost already, although its answer has not arrived. */
export const hasArrived = ({ costs = [] }, { method, tried, note, body }) => method === 'POST' && tried
  && costs.some((cost) =>
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
