// One tap takes back the last thing recorded; the server decides what that was.

import { dealDraft, roleInSession, saveDraft } from '../core/device_storage.js';
import { currentSession, lastForecastDeal, recordActions, untilForeseen } from '../core/session_store.js';
import { isOutOfReach, mayTakeBackWrite, refusedWrite, takeBackWrite,
  unsentWrites } from '../core/sync_queue.js';
import { t } from '../core/translator.js';
import { dealOfWrite } from '../domain/queued_write.js';
import { actionButton, announce, ignoreEarlyTaps, showWarning } from '../ui/page.js';
import { showRefusal } from './refusal.js';

export const mayUndo = (state) => state.status === 'open' && roleInSession(state.id) !== 'viewer'
  && (mayTakeBackWrite(state.id) || mayUndoAfterQueue(state.id)
  || (unsentWrites(state.id).length === 0 && state.legal_actions.some((action) => action.type === 'undo')));

/** The server may have heard of what waits here: its undo goes after it, and what that opens is known. */
const mayUndoAfterQueue = (id) => unsentWrites(id).length > 0 && isOutOfReach() && !refusedWrite(id)
  && lastForecastDeal()?.told.length > 0;

let isUndoing = false;

/** The second of two quick taps is not for what is there then. */
export async function undoOnce(action) {
  if (isUndoing && !mayTakeBackWrite(currentSession().id)) return; // what is taken back gets no answer
  isUndoing = true;
  try {
    await action();
  } finally {
    isUndoing = false;
    ignoreEarlyTaps();
  }
}

/** A button that names what it takes back; `of` as `nameUndoButton` takes it. */
export function undoButton(key, onclick, ...of) {
  const button = actionButton(key, t('undo.label'), () => onclick(button), { mark: 'undo', shy: true });
  nameUndoButton(button, ...of);
  return button;
}

/** The evening's own. */
export const sessionUndoButton = (state, home) => mayUndo(state)
  && undoButton('undo', (pressed) => undoLastAction(home, pressed), state);

/** Whether a correction comes off first, and nothing of the open deal. */
export const isCorrectionLast = ({ legal_actions: legal }) =>
  legal.some(({ takes_back: undone }) => ['correct', 'void'].includes(undone?.type));

export const undoneText = ({ dataset }) => dataset.said ?? t('undo.done');

/** Undoes, then goes where the evening stands: into the reopened deal, or to the table. */
export const undoLastAction = (home, pressed) => undoOnce(() => takeBackLast(home, pressed));

async function takeBackLast(home, pressed) {
  const { id } = currentSession();
  const [words, staysAtTable] = [undoneText(pressed), isCorrectionLast(currentSession())];
  if (mayTakeBackWrite(id)) {
    const draft = dealDraft(id);
    // there is room for one half deal
    if (draft?.taps.length > 0 && draft.number > dealOfWrite(unsentWrites(id).at(-1))) {
      showWarning(t('undo.begun', { number: draft.number }));
      return;
    }
    const { note: { number, live, base, taps } } = await takeBackWrite(id);
    if (taps) saveDraft(id, { number: number ?? live, base, taps: taps.slice(0, -1) });
    announce(words);
    const target = taps ? `${home}/record` : home;
    if (location.hash !== target) location.hash = target;
    return;
  }
  try {
    const { number, state, told: actions } = mayUndoAfterQueue(id) ? lastForecastDeal() : {};
    const note =
      { what: pressed.textContent,
      ...(actions && { undoes: number, back: { state, told: actions.slice(0, -1) } }) };
    const sent = recordActions([{ type: 'undo' }], note);
    await (actions ? Promise.race([sent, untilForeseen(note)]) : sent);
  } catch (trouble) {
    await showRefusal(trouble);
    return;
  }
  announce(words);
  const reopened = !staysAtTable && currentSession().deal.phase !== 'waiting';
  const target = reopened ? `${home}/record` : home;
  if (location.hash !== target) location.hash = target;
}

// What an undo takes back, by its name: on the button before, and spoken after.

/**
 * Writes on a button what it takes back, and keeps in `data-said` what is to be said then. `last`: what was
 * tapped
 * last and told to this phone alone, `{type, deal, trick}`; null, if that has no name; else it is the
 * evening's.
 */
export function nameUndoButton(button, state, undone = nextUndo(state)) {
  if (!undone) return;
  const label = t(`undo.label.${undone.type}`, undone);
  button.querySelector('span').textContent = label;
  button.setAttribute('aria-label', label);
  button.dataset.said = t(`undo.done.${undone.type}`, undone);
}

/** What goes first: what waits on this phone, what that has ended, or what the server says. */
function nextUndo({ id, legal_actions: legal }) {
  if (mayTakeBackWrite(id)) return queuedUndo(unsentWrites(id).at(-1));
  const lastDeal = unsentWrites(id).length > 0 ? lastForecastDeal() : null;
  if (lastDeal?.told.length > 0) return tappedUndo(lastDeal.told, lastDeal.number);
  return legal.find(({ type }) => type === 'undo')?.takes_back;
}

function queuedUndo({ method, body, note }) {
  if (note.correct) return { type: method === 'DELETE' ? 'void' : 'correct', deal: note.correct };
  const actions = note.taps ?? body?.actions;
  if (!actions) return note.what && { type: 'other', what: note.what };
  return actions.at(-1).type === 'undo' ? null : tappedUndo(actions, dealOfWrite({ note }));
}

/** The last of these, which all belong to one deal. */
const tappedUndo = (actions, deal) =>
  ({ type: actions.at(-1).type, deal, trick: actions.filter(({ type }) => type === 'trick').length });
