// The evening as it will be when the server has one more deal: pot, bets, balances, points, and who deals
// next.
//
// The server alone decides. This is shown, marked as provisional, only while the server cannot be asked, and
// is
// thrown away as soon as it has answered; nothing reckoned here is ever sent. It knows deals told by their
// result or
// their tricks. A deal told in cards, one that is not over, and one that the server would refuse come to
// nothing
// here: null, never a figure that might be wrong.

import { amountPlayedFor } from '../domain/money.js';
import { POT, balancesAfter, playerAccount, posting } from './accounts.js';
import { forecastKnektpass } from './knektpass.js';
import { forecastPolskpas } from './polskpas.js';
import { forecastPolsktPass } from './polskt_pass.js';
import { forecastSpader } from './spader.js';

/**
 * How each game reckons a whole deal: `reckon(open, said)`. `open` is the evening with this deal open, `said`
 * all of
 * its actions but the opening. Null, or what the deal comes to:
 *   outcome   { type, declarers, winner, la_vola, tricks, taken?, points?, game_won? }, as the server tells
 * it
 *   code      which sentence says so, as the server calls it
 *   postings  after the stake, in their order
 *   bets      those that are down now, in playing order       legs     of a la vola: [{ from, to, amount }]
 *   each      what a la vola brings from everybody else       next     who deals, if not the player at the
 * left
 *   overtricks                                                        of both sides
 */
const FORECASTS = { polskt_pass: forecastPolsktPass, polskpas: forecastPolskpas, spader: forecastSpader,
  knektpass: forecastKnektpass };

/**
 * What one whole deal makes of the evening.
 *
 * `wording`: `why(state, posting)` and `sentence(state, deal)` put a posting and a deal into words.
 * `state`: as `GET /v1/sessions/{id}` gives it, or as this gave it for the deal before.
 * `actions`: while it waits for a deal, the batch that will be sent, `open_deal` first; while a deal is open
 * (the
 * server has the stake, and says what is played for), all actions of that deal from the first to the last,
 * those that
 * the server has and those that it has not, without `open_deal`. A `merge` may follow the end.
 *
 * Returns null, or
 *   state     the next state, waiting for a deal: everything as the server will say it directly after the
 * write, with
 *             la vola legs due and not yet in the balances (`settled` puts them there), no legal actions, the
 * same
 *             version, and `provisional: true`. Bets and payments that are new have ids of their own, `b7.1`
 * and
 *             `ahead-7-p1-p3` for deal 7, which no server gives
 *   postings  of the whole deal, the stake first, as `GET …/deals/{n}` has them: from, to, amount, unit, why;
 * and `code`
 *   outcome   as there, too; `text` is in the language spoken now
 * Amounts are whole numbers. `state` itself is never changed.
 *
 * `state.used`, if there is one, is the highest number that a deal has used up: a deal reopened by undo below
 * one that
 * was voided is followed by a higher number than the next.
 */
export function forecastDeal(state, actions, wording) {
  const waits = state.deal.phase === 'waiting';
  if (state.status !== 'open' || state.winner || (actions[0]?.type === 'open_deal') !== waits) return null;
  const stake = stakePostings(state);
  const open = waits ? openDeal(state, stake, actions[0]) : state;
  const deal = open && FORECASTS[state.game]?.(open, waits ? actions.slice(1) : actions);
  return deal ? closeDeal(open, deal, stake, wording) : null;
}

/**
 * The evening with its next deal open, as the server has it when nothing else has been said; null if it would
 * not be.
 */
export const openNextDeal = (state) => (state.deal.phase === 'waiting'
  ? openDeal(state, stakePostings(state), {}) : state);

/**
 * The same evening with every la vola leg paid, as it will stand when the server's workers have been there.
 */
export function settlePayments(state) {
  const due = state.payments.filter(({ status }) => status === 'due');
  if (due.length === 0) return state;
  const paid = due.map(({ from, to, amount }) => posting(playerAccount(from), playerAccount(to), amount));
  return {
    ...state,
    balances: balancesAfter(state.balances, playerAccount, paid),
    payments: state.payments.map((leg) => (leg.status === 'due' ? { ...leg, status: 'settled' } : leg)),
  };
}

/** The dealer alone puts the stake into the pot (§1.1, §2.1); nobody does where points are played for. */
const stakePostings = ({ pot, options: { stake }, deal: { dealer, number } }) => (pot === null ? []
  : [posting(playerAccount(dealer), POT, stake, 'ante', { who: { dealer }, numbers: { deal: number } })]);

/** The evening with its next deal open; null if it would not be opened. */
function openDeal(state, stake, { number }) {
  const { pot, options, deal } = state;
  if ((number ?? deal.number) !== deal.number) return null;
  const balances = state.balances && balancesAfter(state.balances, playerAccount, stake);
  const limit = options.credit_limit ?? null;
  // A-PP-15
  if (limit !== null && settlePayments({ ...state, balances }).balances[deal.dealer] < -limit) return null;
  return {
    ...state, balances, results: state.results && balancesAfter(state.results, playerAccount, stake),
    deal: { ...deal, phase: 'opened' },
    pot: pot === null ? null : pot + options.stake,
    amount_played_for: pot === null ? null : amountPlayedFor(state),
  };
}

function closeDeal(open, deal, stake, { sentence, why }) {
  const { seats, deal: { number, dealer } } = open;
  const { outcome, postings, legs = [] } = deal;
  // clockwise in every case (§1.4)
  const nextDealer = deal.next ?? seats[(seats.indexOf(dealer) + 1) % seats.length];
  const allPostings = [...stake, ...postings];
  const state = {
    ...open,
    deal: { number: Math.max(number, open.used ?? 0) + 1, dealer: nextDealer, phase: 'waiting' },
    amount_played_for: null,
    pot: open.pot === null ? null : balancesAfter({ pot: open.pot }, () => POT, postings).pot,
    bets: deal.bets ?? open.bets,
    balances: open.balances && balancesAfter(open.balances, playerAccount, postings),
    results: open.results && balancesAfter(open.results, playerAccount,
      [...postings,
      ...legs.map(({ from, to, amount }) => posting(playerAccount(from), playerAccount(to), amount))]),
    payments: [...open.payments,
      ...legs.map((leg) =>
      ({ id: `ahead-${number}-${leg.from}-${leg.to}`, deal: number, ...leg, status: 'due' }))],
    scores: open.scores && balancesAfter(open.scores, (keeper) => `score:${keeper}`, postings),
    ...(deal.overtricks ? { overtricks: deal.overtricks } : {}),
    winner: outcome.game_won ?? null,
    legal_actions: [],
    provisional: true,
  };
  return {
    state,
    postings: allPostings.map(({ from, to, amount, unit, code, because }) =>
      ({ from, to, amount, unit, code, why: why(open, { code, amount, unit, because }) })),
    outcome: { ...outcome, text: sentence(open, { ...deal, next: nextDealer }) },
  };
}
