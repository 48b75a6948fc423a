// The forecast of a session: the writes that wait on this device, applied to the confirmed state. It is
// marked as provisional, and dropped as soon as the server has answered.

import { sumOf } from '../domain/amounts.js';
import { actionsAfter, dealOfWrite, playedActions } from '../domain/deal.js';
import { termsOf } from '../domain/games.js';
import { forecastCost, hasArrived } from '../forecast/costs.js';
import { forecastDeal, openNextDeal, playerAccount, posting, settlePayments } from '../forecast/forecast.js';
import { formatNumber, isolateName, listNames, moneyWriter, t } from './translator.js';

/**
 * Applies `waiting`, the writes in order, to `confirmed`, the state that the server sent last. `recorded`:
 * the actions of the open deal, or null if this device does not know them. Returns the forecast's fields of
 * the session store.
 */
export function forecastSession(confirmed, waiting, recorded) {
  const deals = new Map();
  let state = confirmed;
  let actionsSoFar = confirmed.deal.phase === 'waiting' ? []
    : recorded && playedActions({ actions: recorded });
  let pendingActions = [];
  let lastDeal = null;
  // Deals do not depend on costs, but for the credit limit; so costs come last, and an undo keeps them.
  const costs = waiting.filter((write) => write.note.cost && !hasArrived(confirmed, write));
  const hasLimit = costs.length > 0 && (confirmed.options.credit_limit ?? null) !== null;
  const result = (isForecastComplete) => ({
    session: costs.reduce(forecastCost, state),
    isForecastComplete: isForecastComplete && !hasLimit, pendingActions, forecastDeals: deals,
    lastForecastDeal: lastDeal,
  });

  for (const write of waiting) {
    const { note, body } = write;
    if (note.cost) continue;
    if (note.undoes !== undefined) {
      // The deal may have arrived before this write; any other write would make it a different deal.
      if (!note.back || note.undoes < confirmed.deal.number - 1
        || !hasSameCosts(note.back.state, confirmed)) return result(false);
      ({ state, told: actionsSoFar } = note.back);
      pendingActions = actionsSoFar;
      lastDeal = { number: note.undoes, state, actions: actionsSoFar };
      deals.set(note.undoes, { ...forecastRecord(state, actionsSoFar), status: 'open', outcome: null,
        postings: [] });
      continue;
    }
    const number = dealOfWrite(write);
    const actions = body?.actions;
    if (!actions || number === undefined || number > state.deal.number) return result(false);
    if (number < state.deal.number) continue; // it has arrived, or another device was first
    const opens = actions[0].type === 'open_deal';
    if (!opens && actionsSoFar === null) return result(false);
    if (actions[0].type === 'undo' && actions.length > actionsSoFar.length) { // the opening, too
      if (state.pot !== null) return result(false); // the stake comes back, which only the server knows
      state = { ...state, deal: { ...state.deal, phase: 'waiting' } };
      [actionsSoFar, pendingActions] = [[], []];
      continue;
    }
    actionsSoFar = actionsAfter(opens ? [] : actionsSoFar, playedActions({ actions }));
    const isOpen = state.deal.phase !== 'waiting';
    const dealActions = actionsSoFar.filter(({ type }) => !CARD_ACTIONS.includes(type));
    const nextDeal = forecastInWords(state,
      isOpen ? dealActions : [{ type: 'open_deal', number }, ...dealActions]);
    if (nextDeal === null && note.taps) return result(false); // a whole deal that this device cannot forecast
    if (nextDeal === null) {
      pendingActions = actionsSoFar;
      lastDeal = null;
      continue;
    }
    deals.set(number, { ...forecastRecord(state, actionsSoFar), status: 'closed', outcome: nextDeal.outcome,
      postings: [...nextDeal.postings, ...laVolaPostings(state, nextDeal.state)] });
    lastDeal = { number, state: openNextDeal(state), actions: actionsSoFar };
    state = settlePayments(nextDeal.state); // as the workers do within a second
    [actionsSoFar, pendingActions] = [[], []];
  }
  return result(true);
}

const hasSameCosts = (before, after) => JSON.stringify(before.costs) === JSON.stringify(after.costs);

/** The payments for the la vola of the deal between these states, which the forecast counts as made. */
const laVolaPostings = (before, after) => after.payments.slice(before.payments.length)
  .map(({ from: payer, to: payee, amount, deal }) => posting(playerAccount(payer), playerAccount(payee),
    amount, `${termsOf(before).call}_paid`, { who: { payer, payee }, numbers: { deal } }))
  .map((paid) => ({ ...paid, why: postingReason(before, paid) }));

/** The forecast of one deal, with its sentences in the reader's language. */
export const forecastInWords = (state, actions) =>
  forecastDeal(state, actions, { sentence: outcomeSentence, why: postingReason });

/** Actions that only show cards; they do not matter for a deal recorded without its cards. */
const CARD_ACTIONS = ['turn_up', 'hand'];

/** The record of a forecast deal, without an outcome; only the server knows findings and earlier versions. */
const forecastRecord = ({ deal: { number, dealer } }, actions) =>
  ({ number, dealer, provisional: true, actions, before: [], findings: [], versions: null });

/** The reason of one posting. */
function postingReason(state, { code, amount, unit, because }) {
  const moved = unit === 'points' ? { points: amount }
    : { amount: moneyWriter(state.currency).plain(amount) };
  return t(`forecast.why.${code}`, { ...sentenceValues(state, because), ...moved });
}

/** The outcome of a forecast deal, and who deals next. */
function outcomeSentence(state, { code, outcome, postings, each = 0, next }) {
  const { declarers, winner, la_vola: announcer, points = {}, game_won: champions = [] } = outcome;
  const scores = Object.entries(points).map(([contestant, count]) =>
    t('forecast.score', { who: playerNames(state, contestant.split('+')),
    points: formatNumber(count, 'exceptZero') }));
  return t(`forecast.outcome.${code}`, {
    ...sentenceValues(state, {
      who: { winner, announcer, next, declarers, failed: declarers.filter((id) => id !== winner),
        champions: champions.flatMap((contestant) => contestant.split('+')) },
      amounts: { played_for: state.amount_played_for ?? 0, each,
        won: sumOf(postings.filter(isWonByWinner).map(({ amount }) => amount)) },
    }),
    scores: scores.join(', '),
  });
}

/** Whether a posting brings the winner the pot or a bet; a bet that he owes himself is not posted. */
const isWonByWinner = ({ code }) => ['pot_taken', 'stake_taken', 'bet_taken', 'claim_taken']
  .some((prefix) => code.startsWith(prefix));

/** The operands of the sentences: names, amounts, numbers. */
function sentenceValues(state, { who = {}, amounts = {}, numbers = {} }) {
  const money = moneyWriter(state.currency);
  return {
    ...Object.fromEntries(Object.entries(who).map(([part, ids]) =>
      [part, playerNames(state, [ids ?? []].flat())])),
    ...Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, money.plain(amount)])),
    ...numbers,
  };
}

const playerNames = ({ players }, ids) =>
  listNames(ids.map((id) => isolateName(players.find((player) => player.id === id)?.name ?? id)));
