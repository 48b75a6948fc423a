// Undo: takes back the last recorded action, and names it on the button beforehand.
// The server decides what the last action was, except for writes that still wait on this device.

import { dealDraft, removeDraft, roleInSession, saveDraft } from '../core/device_storage.js';
import { currentSession, mayContinueOpenDeal, sessionState, subscribe } from '../core/session_store.js';
import { answerOrForecast, recordActions } from '../core/session_sync.js';
import { mayTakeBackWrite, refusedWrite, takeBackWrite } from '../core/sync_queue.js';
import { t } from '../core/translator.js';
import { dealOfWrite, playedActions } from '../domain/deal.js';
import { addAttributes } from '../ui/elements.js';
import { actionButton, announce, ignoreEarlyTaps, redrawScreen, showRefusal,
  showWarning } from '../ui/page.js';

const mayUndo = (state) => state.status === 'open' && roleInSession(state.id) !== 'viewer'
  && (continuingDraft(state) || mayTakeBackWrite(state.id) || mayUndoAfterQueue(state.id)
  || (sessionState().waiting.length === 0 && state.legal_actions.some((action) => action.type === 'undo')));

/**
 * Whether an undo can queue behind writes that the server may already have received. The forecast then knows
 * which deal the undo reopens.
 */
function mayUndoAfterQueue(id) {
  const { waiting, isOutOfReach, lastForecastDeal } = sessionState();
  return waiting.length > 0 && isOutOfReach && !refusedWrite(id) && lastForecastDeal?.actions.length > 0;
}

/** The draft that has taps behind what is recorded of the open deal, or waits; undefined without any. */
function continuingDraft({ id, deal: { number } }) {
  const { pendingActions, openDeal } = sessionState();
  const draft = dealDraft(id);
  const isKnown = openDeal?.number === number && mayContinueOpenDeal();
  const { length } = pendingActions.length > 0 || !isKnown ? pendingActions : playedActions(openDeal);
  return length > 0 && draft?.number === number && draft.base <= length
    && draft.base + draft.taps.length > length ? draft : undefined;
}

let isUndoing = false;

// No answer comes any more to an undo that is left to a person, or that another tab has taken back.
subscribe((session, { unansweredSession }) => { if (unansweredSession) isUndoing = false; });

/** Runs `action` unless an undo is already running: a double tap must not undo twice. */
export async function undoOnce(action) {
  // taking back a write involves no server, so it need not wait
  if (isUndoing && !mayTakeBackWrite(currentSession().id)) return;
  isUndoing = true;
  try {
    await action();
  } finally {
    isUndoing = false;
    ignoreEarlyTaps();
  }
}

/**
 * A button that names what it takes back, with what to announce afterwards in `data-said`. `undone`,
 * `{type, deal, trick}`, is the last tap on this device where the caller has recorded it; null leaves the
 * button unnamed; by default it is what the session undoes next.
 */
export function undoButton(key, onclick, state, undone = nextUndo(state)) {
  const button = actionButton(key, undone ? undoLabel(undone, state.deal) : t('undo.label'),
    ({ currentTarget }) => onclick(currentTarget), { mark: 'undo', narrow: true });
  if (undone) addAttributes(button, { 'data-said': t(`undo.done.${undone.type}`, undone) });
  return button;
}

// Their labels name the deal.
const DEAL_TYPES = ['open_deal', 'finish', 'result', 'correct', 'void'];

/** Names the deal too if it is before the last one, such as after a misdeal. */
function undoLabel(undone, { number, phase }) {
  const { type, deal } = undone;
  const label = t(`undo.label.${type}`, undone);
  const isEarlier = deal < (phase === 'waiting' ? number - 1 : number);
  return isEarlier && !DEAL_TYPES.includes(type) ? t('undo.earlier', { label, deal }) : label;
}

/** The undo button of a session's screens, or false if there is nothing to undo. */
export const sessionUndoButton = (state, home) => mayUndo(state)
  && undoButton('undo', (pressed) => undoLastAction(home, pressed), state);

/** Whether the next undo takes back a correction, not an action of the open deal. */
export const isCorrectionLast = ({ legal_actions: legal }) =>
  legal.some(({ takes_back: undone }) => ['correct', 'void'].includes(undone?.type));

export const undoneText = ({ dataset }) => dataset.said ?? t('undo.done');

/** Undoes, then opens the reopened deal, if any, or else the table. */
export const undoLastAction = (home, pressed) => undoOnce(() => takeBackLastAction(home, pressed));

async function takeBackLastAction(home, pressed) {
  const { id } = currentSession();
  const address = location.hash;
  const [words, staysAtTable] = [undoneText(pressed), isCorrectionLast(currentSession())];
  const continued = continuingDraft(currentSession());
  if (continued) {
    saveDraft(id, { ...continued, taps: continued.taps.slice(0, -1) });
    announce(words);
    openRecorder(home);
    return;
  }
  const draft = dealDraft(id);
  const reopenedDeal = mayTakeBackWrite(id) ? dealOfWrite(sessionState().waiting.at(-1))
    : !staysAtTable && nextUndo(currentSession())?.deal;
  // a draft of a later deal has begun, and a device keeps one draft at a time
  if (draft?.taps.length > 0 && reopenedDeal && reopenedDeal < draft.number) {
    showWarning(t('undo.begun', { number: draft.number }));
    return;
  }
  if (mayTakeBackWrite(id)) {
    const write = await takeBackWrite(id);
    if (write === null) return; // another tab is sending it; the button changes
    const number = dealOfWrite(write);
    const { base, heard: earlierActions, taps } = write.note;
    if (taps) saveDraft(id, { number, base, heard: earlierActions, taps: taps.slice(0, -1) });
    else removeDraft(id, number); // the action is in it where no write is stored
    announce(words);
    if (taps) openRecorder(home);
    else location.hash = home;
    return;
  }
  try {
    const { number, state, actions } = mayUndoAfterQueue(id) ? sessionState().lastForecastDeal : {};
    // `back`: what the undo reopens, the state and the deal's actions (`told`), for the forecast
    const note = {
      what: pressed.textContent,
      ...(actions && { undoes: number, back: { state, told: actions.slice(0, -1) } }),
    };
    const sent = recordActions([{ type: 'undo' }], note);
    await (actions ? answerOrForecast(sent, note) : sent);
  } catch (error) {
    await showRefusal(error);
    return;
  }
  announce(words);
  // Somebody may have gone elsewhere meanwhile; the screens of a deal that is reopened go to the table.
  if (![address, home].includes(location.hash)) return;
  const reopened = !staysAtTable && currentSession().deal.phase !== 'waiting';
  location.hash = reopened ? `${home}/record` : home;
}

/** A recorder that is on screen still waits for the answer to what was taken back, so it starts again. */
function openRecorder(home) {
  const address = `${home}/record`;
  if (location.hash === address) redrawScreen();
  else location.hash = address;
}

/**
 * What the next undo takes back: a tap, a waiting write, the last action of the deal it ended, or what the
 * server names.
 */
function nextUndo(state) {
  const { id, legal_actions: legal } = state;
  const draft = continuingDraft(state);
  if (draft) return tappedUndo([...draft.heard ?? [], ...draft.taps], draft.number);
  const lastWrite = sessionState().waiting.at(-1); // none once another tab has sent it
  if (lastWrite && mayTakeBackWrite(id)) return queuedUndo(lastWrite);
  const lastDeal = sessionState().waiting.length > 0 ? sessionState().lastForecastDeal : null;
  if (lastDeal?.actions.length > 0) return tappedUndo(lastDeal.actions, lastDeal.number);
  return legal.find(({ type }) => type === 'undo')?.takes_back;
}

function queuedUndo({ method, body, note }) {
  if (note.correct) return { type: method === 'DELETE' ? 'void' : 'correct', deal: note.correct };
  const actions = note.taps ?? body?.actions;
  if (!actions) return note.what && { type: 'other', what: note.what };
  return actions.at(-1).type === 'undo' ? null
    : tappedUndo([...note.heard ?? [], ...actions], dealOfWrite({ note }));
}

/** The last of these actions, which all belong to one deal. */
const tappedUndo = (actions, deal) =>
  ({ type: actions.at(-1).type, deal, trick: actions.filter(({ type }) => type === 'trick').length });
