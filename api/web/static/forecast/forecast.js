// The forecast of one deal: pot, bets, balances, scores and the next dealer after it, and the postings that
// lead there, so that no money or points appear or are lost.
//
// The server alone decides. A forecast is shown as provisional while the server cannot be reached, dropped as
// soon as it has answered, and never sent. It covers deals recorded by their result or their tricks; for a
// deal in cards, an open deal and one that the server would refuse it is null, never a figure that might be
// wrong.

import { amountPlayedFor } from '../domain/amounts.js';
import { forehandOf } from '../domain/deal.js';
import { loadedGame } from '../domain/games.js';

// The game's own part is `forecast(state, actions)` in its file beside this one. `state` has this deal open,
// `actions` are all of the deal's actions but the opening. Returns null, or
//   outcome     { type, declarers, winner, la_vola, tricks, taken?, points?, game_won? }, as from the server
//   code        the sentence of the outcome
//   postings    after the stake, in order
//   bets        those that are down now, in playing order
//   legs        of a la vola: [{ from, to, amount }]
//   each        the amount that a la vola brings from every other player
//   next        the next dealer, if not the player at the left
//   overtricks  of both sides

/**
 * The forecast of one whole deal of a game that is loaded.
 *
 * `state`: as `GET /v1/sessions/{id}` returns it, or as this function returned it for the deal before. It is
 * not changed.
 * `actions`: between deals the batch that will be sent, `open_deal` first; while a deal is open, all its
 * actions from the first to the last, without `open_deal`. A `merge` may follow the end.
 * `wording`: `why(state, posting)` and `sentence(state, deal)` put a posting and a deal into words.
 *
 * Returns null, or
 *   state       the next state, between deals, as the server will send it directly after the write: la vola
 *               payments are due and not yet in the balances (`settlePayments` puts them there), the version
 *               is the same, there are no legal actions, and `provisional` is true. New bets and payments
 *               have ids that no server gives, `b7.1` and `forecast-7-p1-p3` for deal 7
 *   postings    of the whole deal, the stake first, as `GET …/deals/{n}` has them, and `code`
 *   outcome     as in the list above, and `text` in the reader's language
 *
 * `state.used`, if present, is the highest number that a deal has used. When undo reopens a deal below a
 * voided one, the deal after it skips the voided number.
 */
export function forecastDeal(state, actions, wording) {
  const isBetweenDeals = state.deal.phase === 'waiting';
  if (state.status !== 'open' || state.winner || (actions[0]?.type === 'open_deal') !== isBetweenDeals)
    return null;
  const stake = stakePostings(state);
  const openState = isBetweenDeals ? openDeal(state, stake, actions[0]) : state;
  const dealActions = isBetweenDeals ? actions.slice(1) : actions;
  const deal = openState && loadedGame(state.game).forecast(openState, dealActions);
  return deal ? closeDeal(openState, deal, stake, wording) : null;
}

/** The state with its next deal opened, or null if the server would refuse that. */
export const openNextDeal = (state) => (state.deal.phase === 'waiting'
  ? openDeal(state, stakePostings(state), {}) : state);

/** The state with every la vola payment settled, as the workers will leave it. */
export function settlePayments(state) {
  const due = state.payments.filter(({ status }) => status === 'due');
  if (due.length === 0) return state;
  const settledPostings = due.map(({ from, to, amount }) =>
    posting(playerAccount(from), playerAccount(to), amount));
  return {
    ...state,
    balances: balancesAfter(state.balances, playerAccount, settledPostings),
    payments: state.payments.map((leg) => (leg.status === 'due' ? { ...leg, status: 'settled' } : leg)),
  };
}

/** The dealer alone pays the stake into the pot (§1.1, §2.1); point games have none. */
const stakePostings = ({ pot, options: { stake }, deal: { dealer, number } }) => (pot === null ? []
  : [posting(playerAccount(dealer), POT, stake, 'ante', { who: { dealer }, numbers: { deal: number } })]);

/** The state with its next deal opened, or null if the server would refuse that. */
function openDeal(state, stake, { number }) {
  const { pot, options, deal } = state;
  if ((number ?? deal.number) !== deal.number) return null;
  const balances = state.balances && balancesAfter(state.balances, playerAccount, stake);
  const limit = options.credit_limit ?? null; // A-PP-15
  if (limit !== null && settlePayments({ ...state, balances }).balances[deal.dealer] < -limit) return null;
  return {
    ...state, balances, results: state.results && balancesAfter(state.results, playerAccount, stake),
    deal: { ...deal, phase: 'opened' },
    pot: pot === null ? null : pot + options.stake,
    amount_played_for: pot === null ? null : amountPlayedFor(state),
  };
}

function closeDeal(state, deal, stake, { sentence, why }) {
  const { number } = state.deal;
  const { outcome, postings, legs = [] } = deal;
  const nextDealer = deal.next ?? forehandOf(state); // §1.4
  const allPostings = [...stake, ...postings];
  const legPostings = legs.map(({ from, to, amount }) =>
    posting(playerAccount(from), playerAccount(to), amount));
  const duePayments = legs.map((leg) =>
    ({ id: `forecast-${number}-${leg.from}-${leg.to}`, deal: number, ...leg, status: 'due' }));
  const nextState = {
    ...state,
    deal: { number: Math.max(number, state.used ?? 0) + 1, dealer: nextDealer, phase: 'waiting' },
    amount_played_for: null,
    pot: state.pot === null ? null : balancesAfter({ pot: state.pot }, () => POT, postings).pot,
    bets: deal.bets ?? state.bets,
    balances: state.balances && balancesAfter(state.balances, playerAccount, postings),
    results: state.results && balancesAfter(state.results, playerAccount, [...postings, ...legPostings]),
    payments: [...state.payments, ...duePayments],
    scores: state.scores && balancesAfter(state.scores, (contestant) => `score:${contestant}`, postings),
    ...(deal.overtricks ? { overtricks: deal.overtricks } : {}),
    winner: outcome.game_won ?? null,
    legal_actions: [],
    provisional: true,
  };
  return {
    state: nextState,
    postings: allPostings.map(({ from, to, amount, unit, code, because }) =>
      ({ from, to, amount, unit, code, why: why(state, { code, amount, unit, because }) })),
    outcome: { ...outcome, text: sentence(state, { ...deal, next: nextDealer }) },
  };
}

export const POT = 'pot';
const SHEET = 'sheet';

/** The largest amount that the server keeps. */
export const MAX_AMOUNT = 10 ** 12;

export const playerAccount = (id) => `player:${id}`;

/** The bet `b2` is the account `bet:2`. */
export const betAccount = ({ id }) => `bet:${id.slice(1)}`;

/** `code` and `because` (`{ who, amounts, numbers }`, named as in the sentence) give the reason. */
export const posting = (source, target, amount, code, because = {}) =>
  ({ from: source, to: target, amount, unit: 'money', code, because });

/** The postings of points to a player or side; negative points go the other way, none are not posted. */
export function scorePostings({ to, points, rule, because }) {
  if (points === 0) return [];
  const accounts = points > 0 ? [SHEET, `score:${to}`] : [`score:${to}`, SHEET];
  const reason = { ...because, who: { who: to.split('+'), ...because.who } };
  return [{ ...posting(...accounts, Math.abs(points), `score_${rule}`, reason), unit: 'points' }];
}

/** The amounts after these postings; `account(key)` names the account of each. */
function balancesAfter(amounts, account, postings) {
  const changeOf = (name) => postings.reduce((sum, { from, to, amount }) =>
    sum + (to === name ? amount : 0) - (from === name ? amount : 0), 0);
  return Object.fromEntries(Object.entries(amounts).map(([key, amount]) =>
    [key, amount + changeOf(account(key))]));
}

/** The sum of points of each player or side in these rows. */
export function pointsByPlayer(rows) {
  const totals = {};
  for (const row of rows) totals[row.to] = (totals[row.to] ?? 0) + row.points;
  return totals;
}
