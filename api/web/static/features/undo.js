// One tap takes back the last thing recorded; the server decides what that was.

import { act, evening, lastHere, refresh } from '../core/session_store.js';
import { draft, keepDraft, roleIn } from '../core/device_storage.js';
import { act as button, say, spare, warn } from '../ui/page.js';
import { Problem } from '../core/api_client.js';
import { dealOf, mayTakeBack, outOfReach, refusedIn, takeBack, unsent } from '../core/sync_queue.js';
import { t } from '../core/translator.js';
import { onward } from '../core/onward.js';
import { name, ready } from './undo_names.js';

export const mayUndo = (state) => state.status === 'open' && roleIn(state.id) !== 'viewer' && (mayTakeBack(state.id) || mayFollow(state.id)
  || (unsent(state.id).length === 0 && state.legal_actions.some((action) => action.type === 'undo')));

/** The server may have heard of what waits here: its undo goes after it, and what that opens is known. */
const mayFollow = (id) => unsent(id).length > 0 && outOfReach() && !refusedIn(id) && lastHere()?.told.length > 0;

let underway = false;

/** The second of two quick taps is not for what is there then. */
export async function once(doing) {
  if (underway && !mayTakeBack(evening().id)) return; // what is taken back gets no answer
  underway = true;
  try {
    await doing();
  } finally {
    underway = false;
    spare();
  }
}

let names = false; // whether the sentences that name what is undone are here

/** Fetches the names of what can be undone; a button drawn after that is not renamed, and moves nothing. */
export const loadUndoNames = () => ready().then(() => { names = true; }).catch(() => null);

/** A button that names what it takes back as soon as that part of the form is here: `name`. */
export function undoButton(key, onclick, ...of) {
  const made = button(key, t('undo.label'), () => onclick(made), { mark: 'undo', shy: true });
  if (names) name(made, ...of);
  else loadUndoNames().then(() => names && name(made, ...of));
  return made;
}

/** The evening's own. */
export const undoLast = (state, home) => mayUndo(state) && undoButton('undo', (pressed) => undo(home, pressed), state);

/** Whether a correction comes off first, and nothing of the open deal. */
export const correctedLast = ({ legal_actions: legal }) => legal.some(({ takes_back: what }) => ['correct', 'void'].includes(what?.type));

export const saidBy = ({ dataset }) => dataset.said ?? t('undo.done');

/** Undoes, then goes where the evening stands: into the reopened deal, or to the table. */
export const undo = (home, pressed) => once(() => takenBack(home, pressed));

async function takenBack(home, pressed) {
  const { id } = evening();
  const [words, stays] = [saidBy(pressed), correctedLast(evening())];
  if (mayTakeBack(id)) {
    const begun = draft(id);
    if (begun?.taps.length > 0 && begun.number > dealOf(unsent(id).at(-1))) { // there is room for one half deal
      warn(t('undo.begun', { number: begun.number }));
      return;
    }
    const { note: { number, live, base, taps } } = await takeBack(id);
    if (taps) keepDraft(id, { number: number ?? live, base, taps: taps.slice(0, -1) });
    say(words);
    const there = taps ? `${home}/record` : home;
    if (location.hash !== there) location.hash = there;
    return;
  }
  try {
    const { number, state, told } = mayFollow(id) ? lastHere() : {};
    const note = { what: pressed.textContent, ...(told && { undoes: number, back: { state, told: told.slice(0, -1) } }) };
    const sent = act([{ type: 'undo' }], note);
    await (told ? Promise.race([sent, onward(note)]) : sent);
  } catch (trouble) {
    if (!(trouble instanceof Problem)) throw trouble;
    await refresh();
    warn(trouble.message);
    return;
  }
  say(words);
  const reopened = !stays && evening().deal.phase !== 'waiting';
  const there = reopened ? `${home}/record` : home;
  if (location.hash !== there) location.hash = there;
}
