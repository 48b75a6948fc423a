// Records a deal action by action: the server lists the legal actions, and the recorder asks for one of them.
// A complete action is sent at once; an incomplete one (a count, a bid) stays on the device.

import { areWritesStored } from '../../core/database.js';
import { dealDraft, notesKey, readItem, saveTaps, writeItem } from '../../core/device_storage.js';
import { Problem, Unreached } from '../../core/request_errors.js';
import { currentSession, mayContinueOpenDeal, sessionState } from '../../core/session_store.js';
import { answerOrForecast, fetchDeal, recordActions, refreshSession } from '../../core/session_sync.js';
import { unsentWrites } from '../../core/sync_queue.js';
import { t } from '../../core/translator.js';
import { playedActions } from '../../domain/deal.js';
import { askAboutOlderDraft } from '../../features/conflicts/overtaken_draft.js';
import { announceRecording } from '../../features/presence.js';
import { isCorrectionLast } from '../../features/undo.js';
import { announce, redrawScreen, showWarning } from '../../ui/page.js';
import { recordOffline, saveDealDraft } from './offline_recorder.js';
import { announceWithQuestion, depthHabit, drawQuestion, lastingMemo,
  saveDepthHabit } from './recorder_view.js';

/**
 * Draws the first of `game.questions` that is open now. A question is `{ isOpen(context), draw(context) }`;
 * `draw` returns `{ question, topic, caption, main, bar }`: the sentence, its help topic, a line below it,
 * the answers, and the buttons at the bottom. The context of both:
 *   state                the session to show
 *   legalActionsOf(type) the legal actions of this type, with the values that each field may have
 *   memo                 what is tapped but not a complete action yet; `handlers.remember(change)` adds to it
 *   handlers             `send(words, ...actions)` records, and announces the words
 *   depth                `result`, `tricks` or `cards`
 *   cards                whether the deal is recorded card by card
 */
export async function recordByQuestions({ game, home, isCurrent }) {
  const { id, deal: { number }, status, winner } = currentSession();
  if (status !== 'open' || winner) { location.replace(home); return null; } // nothing more is played here
  const draft = dealDraft(id);
  if (sessionState().isForecastComplete && (!sessionState().isReached || sessionState().waiting.length > 0
    || (draft?.number === number && draft.taps.length > 0)))
    return recordOffline({ game, home, isCurrent });
  const memoKey = notesKey(id);
  const recorded = currentSession().deal.phase === 'waiting' ? { actions: [] } : await fetchDeal(number);
  if (!isCurrent()) return null;
  const view = { sending: false, place: '', memo: {}, isMidAction: false,
    inCards: recorded.actions.some(({ type }) => CARD_ACTIONS.includes(type)) };

  const show = (fresh = false) => {
    const state = currentSession();
    const place = questionPlace(state);
    view.inCards ||= isRecordedInCards(state.deal);
    if (view.place !== place) {
      const stored = readItem(memoKey); // a count begun before a reload
      const isMidAction = stored?.at === place;
      Object.assign(view, { place, isMidAction, memo: isMidAction ? stored.memo : lastingMemo(view.memo) });
    }
    const isPaused = view.sending || sessionState().waiting.length > 0; // unsent writes are recorded offline
    const depth = depthHabit(game.key, game.usualDepth);
    const legalActions = state.deal.phase === 'waiting' ? game.firstActions(state) : state.legal_actions;
    announceRecording(id, Object.keys(view.memo).length > 0 || view.sending
      || (view.hasRecorded && state.deal.phase !== 'waiting') ? number : null);
    drawQuestion(
      { state, game, depth, handlers, memo: view.memo, cards: depth === 'cards' || view.inCards,
        legalActions },
      { isMidAction: view.isMidAction, isPaused, number, home, fresh, sending: view.sending });
  };

  const handlers = {
    /** Stores an incomplete action on the device and shows it. */
    remember(change) {
      Object.assign(view.memo, change);
      view.isMidAction = true;
      saveTaps(memoKey, { at: view.place, memo: view.memo });
      show();
    },
    send: (words, ...actions) => sendActions(words, actions, { number, ...earlierActions() }),
    async undoTap(words, what) {
      if (view.isMidAction) {
        Object.assign(view, { memo: {}, isMidAction: false });
        writeItem(memoKey, null);
        announce(t('record.tap_undone'));
        show();
        return;
      }
      const deal = await fetchDeal(number).catch((error) => {
        if (!(error instanceof Unreached)) throw error;
        if (isCurrent()) showWarning(t('queue.offline'));
      });
      if (!deal || !isCurrent()) return;
      // The first action is undone together with the opening that was sent with it; a correction, alone.
      const isCorrection = isCorrectionLast(currentSession());
      const isFirst = playedActions(deal).length === 1 && !isCorrection;
      if (!isCorrection) view.memo = {}; // what was remembered after that action
      await sendActions(words, Array(isFirst ? 2 : 1).fill({ type: 'undo' }),
        { what, ...(!isCorrection && { number, ...earlierActions() }) });
    },
    chooseDepth(chosen) {
      saveDepthHabit(game.key, chosen);
      redrawScreen();
    },
  };

  async function sendActions(words, actions, note) {
    if (view.sending) return;
    navigator.vibrate?.(8);
    const opens = currentSession().deal.phase === 'waiting';
    const focusedKey = document.activeElement?.dataset?.key;
    let isAnswered = false;
    view.sending = true;
    view.hasRecorded = true; // this device has recorded part of the deal
    show();
    try {
      await answerOrForecast(
        recordActions(opens ? [{ type: 'open_deal', number }, ...actions] : actions, note), note);
      writeItem(memoKey, null);
      Object.assign(view, { memo: lastingMemo(view.memo), isMidAction: false });
      announce(words);
      isAnswered = actions[0].type !== 'undo';
      keepUnstoredAction(note);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      showWarning(error.message);
      await refreshSession();
    }
    view.sending = false;
    if (!isCurrent()) return;
    // The server did not answer: the rest of the deal is recorded offline.
    const { waiting, session } = sessionState();
    if (waiting.length > 0 && session.deal.number === number) { redrawScreen(); return; }
    follow(true);
    if (!isCurrent() || view.hasLeft) return;
    if (!document.activeElement.dataset.key) focusAfterSend(focusedKey);
    if (isAnswered) announceWithQuestion(words);
  }

  /** For a note: the actions of the deal so far, if this device knows them. */
  const earlierActions = () => (currentSession().deal.phase === 'waiting' ? { heard: [] }
    : mayContinueOpenDeal() && { heard: playedActions(sessionState().openDeal) });

  /** Keeps an action that waits in this page's memory only. */
  function keepUnstoredAction(note) {
    if (areWritesStored() || unsentWrites(id).every((write) => write.note !== note)) return;
    const { forecastDeals, pendingActions } = sessionState();
    saveDealDraft(id, number, forecastDeals.get(number)?.actions ?? pendingActions, []);
  }

  /** Shows the next question, or leaves for the result when the deal is over. */
  function follow(isOwnAction) {
    const state = currentSession();
    if (state.deal.number === number && state.status === 'open') { show(); return; }
    // The address changes later; an update in between would lead to the table instead of the result.
    if (view.hasLeft) return;
    view.hasLeft = true;
    if (state.winner) location.replace(`${home}/winner`);
    else location.replace(isOwnAction ? `${home}/deal/${number}/now` : home);
  }

  show(true);
  askAboutOlderDraft(id, number, home);
  return {
    update() {
      if (!isCurrent()) return;
      if (view.sending) show();
      else follow(false);
    },
  };
}

/** Keeps the keyboard focus on the same button or, if it is gone, moves it to the new question. */
function focusAfterSend(focusedKey) {
  const sameButton = focusedKey
    && document.querySelector(`[data-key="${CSS.escape(focusedKey)}"]:not(:disabled)`);
  (sameButton || document.querySelector('.question'))?.focus({ preventScroll: true });
}

/**
 * Identifies the point in the deal; an incomplete action is dropped when it changes. The session's version
 * would not do: a transfer or a new player changes it in the middle of a count.
 */
function questionPlace({ deal }) {
  const { number, phase, turn, swapping, bids, tricks, cards, staying, passed, exchanged, turn_up } = deal;
  return JSON.stringify([number, phase, turn, swapping, bids?.length, tricks?.length, cards?.length, staying,
    passed, exchanged, turn_up]);
}

/** A deal recorded in cards continues in cards on every device. */
const CARD_ACTIONS = ['cut', 'turn_up', 'bid', 'play'];
const isRecordedInCards = ({ turn_up: card, cards }) => card !== undefined || cards?.length > 0;
