// What an undo takes back, by its name: on the button before, and spoken after.

import { lastHere } from '../core/session_store.js';
import { dealOf, mayTakeBack, unsent } from '../core/sync_queue.js';
import { speakAlso, t } from '../core/translator.js';

export const ready = () => speakAlso('undo.');

/**
 * Writes on a button what it takes back, and keeps in `data-said` what is to be said then. `last`: what was tapped
 * last and told to this phone alone, `{type, deal, trick}`; null, if that has no name; else it is the evening's.
 */
export function name(button, state, last = next(state)) {
  if (!last) return;
  const label = t(`undo.label.${last.type}`, last);
  button.querySelector('span').textContent = label;
  button.setAttribute('aria-label', label);
  button.dataset.said = t(`undo.done.${last.type}`, last);
}

/** What goes first: what waits on this phone, what that has ended, or what the server says. */
function next({ id, legal_actions: legal }) {
  if (mayTakeBack(id)) return waiting(unsent(id).at(-1));
  const here = unsent(id).length > 0 ? lastHere() : null;
  if (here?.told.length > 0) return tapped(here.told, here.number);
  return legal.find(({ type }) => type === 'undo')?.takes_back;
}

function waiting({ method, body, note }) {
  if (note.correct) return { type: method === 'DELETE' ? 'void' : 'correct', deal: note.correct };
  const actions = note.taps ?? body?.actions;
  if (!actions) return note.what && { type: 'other', what: note.what };
  return actions.at(-1).type === 'undo' ? null : tapped(actions, dealOf({ note }));
}

/** The last of these, which all belong to one deal. */
const tapped = (actions, deal) => ({ type: actions.at(-1).type, deal, trick: actions.filter(({ type }) => type === 'trick').length });
