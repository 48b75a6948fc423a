// What waits on this phone, reckoned onto what the server said last, so that an evening goes on without it.
// The server alone decides; until it has, everything here is marked as provisional.

import { ahead, ready as words, settled } from '../ahead/index.js';
import { played } from '../deal.js';
import { speakAlso } from '../words.js';

/** The sentences of this part of the form; to be waited for once, before anything is foreseen. */
export const ready = () => Promise.all([words(), speakAlso('offline.')]);

/**
 * `said`: the evening as the server told it; `waiting`: writes on their way, in order; `recorded`: what
 * was said of the open deal, null if nobody here knows. Gives `{state, whole, half, deals}`: the evening
 * to come; whether that is all of it; what has been said of the deal that will be open; the deals to come.
 */
export function foreseen(said, waiting, recorded) {
  const deals = new Map();
  let state = said;
  let told = said.deal.phase === 'waiting' ? [] : recorded && played({ actions: recorded });
  let half = [];
  const until = (whole) => ({ state, whole, half, deals });

  for (const { note, body } of waiting) {
    const number = note.number ?? note.live;
    const actions = body?.actions;
    if (!actions || number === undefined || number > state.deal.number) return until(false);
    if (number < state.deal.number) continue; // has arrived, or another phone was first
    const opens = actions[0].type === 'open_deal';
    if (!opens && told === null) return until(false);
    told = [...(opens ? [] : told), ...played({ actions })];
    const open = state.deal.phase !== 'waiting';
    const next = ahead(state, open ? told : [{ type: 'open_deal', number }, ...told]);
    if (next === null && note.taps) return until(false); // a whole deal that is beyond this phone
    if (next === null) {
      half = told;
      continue;
    }
    deals.set(number, {
      number, dealer: state.deal.dealer, status: 'closed', provisional: true, actions: told,
      outcome: next.outcome, postings: next.postings, before: [], findings: [], versions: null,
    });
    state = settled(next.state); // as the workers will have done within a second
    [told, half] = [[], []];
  }
  return until(true);
}
