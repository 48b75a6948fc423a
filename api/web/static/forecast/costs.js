// What a shared cost that is not sent yet will lead to.

import { divideCost, nextCostNumber, partsOfEverybody } from '../domain/cost_division.js';

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
