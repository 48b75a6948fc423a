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
export function forecastSession(said, waiting, recorded) {
  const deals = new Map();
  let state = said;
  let told = said.deal.phase === 'waiting' ? [] : recorded && playedActions({ actions: recorded });
  let half = [];
  let last = null;
  const until = (whole) => ({ state, whole, half, deals, last });

  for (const { note, body } of waiting) {
    if (note.undoes !== undefined) {
      // The deal may have arrived before this; nothing else may have, or it would be another that is opened.
      if (!note.back || note.undoes < said.deal.number - 1) return until(false);
      ({ state, told } = note.back);
      half = told;
      last = { number: note.undoes, state, told };
      deals.set(note.undoes, { ...undoInForecast(state, told), status: 'open', outcome: null, postings: [] });
      continue;
    }
    const number = note.number ?? note.live;
    const actions = body?.actions;
    if (!actions || number === undefined || number > state.deal.number) return until(false);
    if (number < state.deal.number) continue; // has arrived, or another phone was first
    const opens = actions[0].type === 'open_deal';
    if (!opens && told === null) return until(false);
    told = [...(opens ? [] : told), ...playedActions({ actions })];
    const open = state.deal.phase !== 'waiting';
    const counts = told.filter(({ type }) => !SHOWN_FIELDS.includes(type));
    const next = forecastInWords(state, open ? counts : [{ type: 'open_deal', number }, ...counts]);
    if (next === null && note.taps) return until(false); // a whole deal that is beyond this phone
    if (next === null) {
      half = told;
      last = null;
      continue;
    }
    deals.set(number, { ...undoInForecast(state, told), status: 'closed', outcome: next.outcome,
      postings: next.postings });
    last = { number, state: openNextDeal(state), told };
    state = settlePayments(next.state); // as the workers will have done within a second
    [told, half] = [[], []];
  }
  return until(true);
}

/** The forecast of one deal, told in the reader's language. */
export const forecastInWords = (state, actions) =>
  forecastDeal(state, actions, { sentence: outcomeSentence, why: postingReason });

/** What was only shown decides nothing, where a deal was told to its end without its cards. */
const SHOWN_FIELDS = ['turn_up', 'hand'];

/** What is known of a deal that the server has not told of. */
const undoInForecast = ({ deal: { number, dealer } }, actions) =>
  ({ number, dealer, provisional: true, actions, before: [], findings: [], versions: null });
