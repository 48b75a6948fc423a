// One tap takes back the last thing recorded; the server decides what that was.

import { act, evening, lastHere, refresh } from './evening.js';
import { draft, keepDraft, roleIn } from './memory.js';
import { say, warn } from './page.js';
import { Problem } from './server.js';
import { dealOf, mayTakeBack, outOfReach, refusedIn, takeBack, unsent } from './queue.js';
import { t } from './words.js';

export const mayUndo = (state) => state.status === 'open' && roleIn(state.id) !== 'viewer' && (mayTakeBack(state.id) || mayFollow(state.id)
  || (unsent(state.id).length === 0 && state.legal_actions.some((action) => action.type === 'undo')));

/** The server may have heard of what waits here: its undo goes after it, and what that opens is known. */
const mayFollow = (id) => unsent(id).length > 0 && outOfReach() && !refusedIn(id) && lastHere()?.told.length > 0;

let underway = false;
let until = 0;

/** The second of two quick taps is not for what is there now. */
export function spared(button) {
  const left = until - performance.now();
  if (left > 0) {
    button.disabled = true;
    setTimeout(() => { button.disabled = false; }, left);
  }
  return button;
}

export async function once(doing) {
  if (underway && !mayTakeBack(evening().id)) return; // what is taken back gets no answer
  underway = true;
  try {
    await doing();
  } finally {
    underway = false;
    until = performance.now() + 400; // ms
  }
}

/** Undoes, then goes where the evening stands: into the reopened deal, or to the table. */
export const undo = (home) => once(() => takenBack(home));

async function takenBack(home) {
  const { id } = evening();
  if (mayTakeBack(id)) {
    const begun = draft(id);
    if (begun?.taps.length > 0 && begun.number > dealOf(unsent(id).at(-1))) { // there is room for one half deal
      warn(t('undo.begun', { number: begun.number }));
      return;
    }
    const { note: { number, live, base, taps } } = await takeBack(id);
    if (taps) keepDraft(id, { number: number ?? live, base, taps: taps.slice(0, -1) });
    say(t('undo.done'));
    const there = taps ? `${home}/record` : home;
    if (location.hash !== there) location.hash = there;
    return;
  }
  try {
    const { number, state, told } = mayFollow(id) ? lastHere() : {};
    const note = told ? { undoes: number, back: { state, told: told.slice(0, -1) } } : { what: t('undo.label') };
    const sent = act([{ type: 'undo' }], note);
    await (told ? Promise.race([sent, import('./onward.js').then((file) => file.onward(note), () => sent)]) : sent);
  } catch (trouble) {
    if (!(trouble instanceof Problem)) throw trouble;
    await refresh();
    warn(trouble.message);
    return;
  }
  say(t('undo.done'));
  const reopened = evening().deal.phase !== 'waiting';
  const there = reopened ? `${home}/record` : home;
  if (location.hash !== there) location.hash = there;
}
