// What waits on this phone, reckoned onto what the server said last, so that an evening goes on without it.
// The server alone decides; until it has, everything here is marked as provisional.

import { playedActions } from '../domain/deal.js';
import { forecastDeal, openNextDeal, settlePayments } from '../forecast/forecast.js';
import { outcomeSentence, postingReason } from './forecast_sentences.js';

/**
 * `said`: the evening as the server told it; `waiting`: writes on their way, in order; `recorded`: what
 * was said of the open deal, null if nobody here knows. Gives `{state, whole, half, deals, last}`: the
 * evening
 * to come; whether that is all of it; what has been said of the deal that will be open; the deals to come;
 * and what an undo would open again, `{number, state, told}`.
 */
export function forecastSession(confirmed, waiting, recorded) {
  const deals = new Map();
  let state = confirmed;
  let actionsSoFar = confirmed.deal.phase === 'waiting' ? []
    : recorded && playedActions({ actions: recorded });
  let half = [];
  let lastDeal = null;
  const result = (isWhole) => ({ state, whole: isWhole, half, deals, last: lastDeal });

  for (const { note, body } of waiting) {
    if (note.undoes !== undefined) {
      // The deal may have arrived before this; nothing else may have, or it would be another that is opened.
      if (!note.back || note.undoes < confirmed.deal.number - 1) return result(false);
      ({ state, told: actionsSoFar } = note.back);
      half = actionsSoFar;
      lastDeal = { number: note.undoes, state, told: actionsSoFar };
      deals.set(note.undoes, { ...undoInForecast(state, actionsSoFar), status: 'open', outcome: null,
        postings: [] });
      continue;
    }
    const number = note.number ?? note.live;
    const actions = body?.actions;
    if (!actions || number === undefined || number > state.deal.number) return result(false);
    if (number < state.deal.number) continue; // has arrived, or another phone was first
    const opens = actions[0].type === 'open_deal';
    if (!opens && actionsSoFar === null) return result(false);
    actionsSoFar = [...(opens ? [] : actionsSoFar), ...playedActions({ actions })];
    const open = state.deal.phase !== 'waiting';
    const counts = actionsSoFar.filter(({ type }) => !SHOWN_FIELDS.includes(type));
    const nextDeal = forecastInWords(state, open ? counts : [{ type: 'open_deal', number }, ...counts]);
    if (nextDeal === null && note.taps) return result(false); // a whole deal that is beyond this phone
    if (nextDeal === null) {
      half = actionsSoFar;
      lastDeal = null;
      continue;
    }
    deals.set(number, { ...undoInForecast(state, actionsSoFar), status: 'closed', outcome: nextDeal.outcome,
      postings: nextDeal.postings });
    lastDeal = { number, state: openNextDeal(state), told: actionsSoFar };
    state = settlePayments(nextDeal.state); // as the workers will have done within a second
    [actionsSoFar, half] = [[], []];
  }
  return result(true);
}

/** The forecast of one deal, told in the reader's language. */
export const forecastInWords = (state, actions) =>
  forecastDeal(state, actions, { sentence: outcomeSentence, why: postingReason });

/** What was only shown decides nothing, where a deal was told to its end without its cards. */
const SHOWN_FIELDS = ['turn_up', 'hand'];

/** What is known of a deal that the server has not told of. */
const undoInForecast = ({ deal: { number, dealer } }, actions) =>
  ({ number, dealer, provisional: true, actions, before: [], findings: [], versions: null });
