// Records a deal question by question from its taps alone, without asking the server after each: while the
// server is out of reach, and again from its beginning for a correction. The deal is sent whole, or as the
// rest of a deal that the server has in part; the taps of a correction stay on the device until the deal is
// complete. An action that waits in this page's memory only is part of the draft, as a reload loses it.

import { areWritesStored } from '../../core/database.js';
import { dealDraft, isDraftOfDeal, removeDraft, saveDraft } from '../../core/device_storage.js';
import { Problem } from '../../core/request_errors.js';
import { currentSession, playerName, sessionState } from '../../core/session_store.js';
import { answerOrForecast, recordActions, recordedActions } from '../../core/session_sync.js';
import { unsentWrites } from '../../core/sync_queue.js';
import { t } from '../../core/translator.js';
import { dealBatch, dealOfWrite, playedActions } from '../../domain/deal.js';
import { fitTurns, isTurnUpSwap } from '../../domain/renumbering.js';
import { askAboutOlderDraft, askAboutOvertakenDraft } from '../../features/conflicts/overtaken_draft.js';
import { announceRecording } from '../../features/presence.js';
import { syncStatus } from '../../features/sync_status.js';
import { h } from '../../ui/elements.js';
import { actionLink, announce, redrawScreen, showScreen, showWarning } from '../../ui/page.js';
import { announceWithQuestion, depthHabit, drawQuestion, lastingMemo,
  saveDepthHabit } from './recorder_view.js';

/** `state`: the table when the deal was dealt. Calls `onComplete(actions)` once the deal is complete. */
export function recordDealAgain(context) {
  recordTapsByQuestions(context);
  return {}; // a screen that does not follow the session
}

const usualDepth = (game) => {
  const depth = depthHabit(game.key, game.usualDepth);
  return depth === 'cards' ? game.usualDepth : depth; // cards would need the server at every step
};

/**
 * Records the deal question by question. The legal actions follow from `earlierActions` (already recorded)
 * and `taps` (added here). `saveTaps(taps)` stores the taps after each change. `leave()` goes back from the
 * first question. `orderTaps(taps)` puts them in the order in which they count. While `isSending()` is true,
 * no question is shown. Returns `show()`, which redraws the question, and `currentTaps()`.
 */
function recordTapsByQuestions({ state, game, backHref, onComplete, earlierActions = [], taps = [],
  saveTaps = () => {}, leave = null, orderTaps = (tapped) => tapped, isSending = () => false,
  title = t('correct.anew_title', { number: state.deal.number }) }) {
  const { number } = state.deal;
  // The recorded actions already say who stays.
  let memo = earlierActions.length > 0 && usualDepth(game) === 'result' ? { exchanged: true } : {};
  let isMidAction = false; // since the last action
  const show = (fresh = false) => {
    const { deal, legalActions } = game.readTaps(state, [...earlierActions, ...taps]);
    const depth = usualDepth(game);
    drawQuestion({ state: { ...state, deal }, game, depth, handlers, memo, cards: false, legalActions }, {
      number, home: backHref, fresh, title, offersCards: false, isCorrection: leave === null,
      isBegun: leave !== null || taps.length > 0 || Object.keys(memo).length > 0,
      isMidAction, isPaused: isSending(), sending: isSending(),
      lastTap: taps.length > 0 ? { type: taps.at(-1).type, deal: number, trick: deal.tricks?.length } : null,
    });
  };
  const handlers = {
    completeLabel: leave === null ? t('correct.onward') : undefined,
    remember(change) {
      Object.assign(memo, change);
      isMidAction = true;
      show();
    },
    send(words, ...actions) {
      navigator.vibrate?.(8);
      taps = orderTaps([...taps, ...actions]);
      memo = lastingMemo(memo);
      isMidAction = false;
      saveTaps(taps);
      announce(words);
      if (game.readTaps(state, [...earlierActions, ...taps]).closed) { onComplete(taps); return; }
      show();
      announceWithQuestion(words);
    },
    undoTap(words) {
      if (!isMidAction && taps.length === 0 && leave !== null) { leave(); return; }
      if (!isMidAction) taps = taps.slice(0, -1);
      memo = {};
      isMidAction = false;
      saveTaps(taps);
      announce(words);
      show();
    },
    chooseDepth(chosen) { saveDepthHabit(game.key, chosen); show(); },
  };
  show(true);
  return { show, currentTaps: () => taps };
}

export async function recordOffline({ game, home, isCurrent }) {
  const state = currentSession();
  const { id, deal: { number } } = state;
  const earlierActions = await recordedActions(state);
  if (!isCurrent()) return null;
  const draftTaps = restoreTaps(number, earlierActions);
  const isOpen = earlierActions.length > 0 || state.deal.phase !== 'waiting';
  if (!game.readTaps || [...earlierActions, ...draftTaps].some(({ type }) => type === 'play'))
    return cardsOffline({ id, number, isOpen, draftTaps, home, isCurrent });
  const { seats, deal: { dealer } } = state;
  // The calls in a draft may have been recorded under another dealer; the missing ones are asked for.
  const orderTaps = (taps) => (earlierActions.length === 0 ? fitTurns(taps, dealer, seats) : taps);
  const fitsDealer = (action) => !isTurnUpSwap(action) || action.player === dealer;
  let sending = false;
  let isLost = false;

  async function sendDeal(taps) {
    if (sending || isLost) return;
    sending = true;
    view.show();
    const note = { number, base: earlierActions.length, heard: earlierActions, taps };
    try {
      await answerOrForecast(recordActions(dealBatch(number, taps, isOpen), note), note);
    } catch (error) {
      sending = false;
      if (!(error instanceof Problem)) throw error;
      const isTaken = error.code === 'deal_taken';
      if (!isTaken) showWarning(error.message);
      if (!isCurrent()) return;
      view.show();
      if (isTaken) askAboutConflict(taps, error.body.deal);
      return;
    }
    removeSafeDraft(id, number, note);
    if (isCurrent()) location.replace(`${home}/deal/${number}/now`);
  }

  // Another device recorded a deal under this number: show both before these taps are dropped.
  function askAboutConflict(taps, recordedDeal = null) {
    isLost = true;
    askAboutOvertakenDraft({ number, taps: [...earlierActions, ...taps], recordedDeal, home });
  }

  const view = recordTapsByQuestions({
    state, game, backHref: home, earlierActions, title: t('result.title', { number }), onComplete: sendDeal,
    taps: orderTaps(draftTaps.filter(fitsDealer)), orderTaps,
    saveTaps: (taps) => {
      saveDealDraft(id, number, earlierActions, taps);
      announceRecording(id, taps.length > 0 ? number : null);
    },
    leave: () => { location.hash = home; },
    isSending: () => sending,
  });
  askAboutOlderDraft(id, number, home);
  if (!draftTaps.every(fitsDealer))
    showWarning(t('conflict.other_dealer', { number, name: playerName(dealer) }));
  const isComplete = (taps) =>
    taps.length > 0 && game.readTaps(state, [...earlierActions, ...taps]).closed;
  const restored = view.currentTaps(); // of a deal that was complete before a reload, but not stored
  if (isComplete(restored)) sendDeal(restored);
  return {
    followDraft() {
      if (sending || isLost || followMovedDraft(currentSession(), number, view.currentTaps())) return;
      if (isComplete(restoreTaps(number, earlierActions))) return; // the tab that completes a deal sends it
      if (currentSession().deal.number === number) redrawScreen();
      else location.replace(home);
    },
    async update(newState) {
      if (isLost || !isCurrent()) return;
      if (sending) { view.show(); return; }
      const taps = view.currentTaps();
      if (newState.deal.number !== number) {
        leaveOtherDeal(newState, { number, taps, home, askAboutConflict });
        return;
      }
      if (newState.deal.dealer !== dealer) { redrawScreen(); return; }
      const moved =
        (await recordedActions(newState).catch(() => earlierActions)).length !== earlierActions.length;
      if (sending || isLost || !isCurrent()) return;
      if (moved && taps.length > 0) showWarning(t('record.moved_on'));
      // Redrawing returns to online recording once the server is in reach.
      const { waiting, isReached } = sessionState();
      if (!moved && (taps.length > 0 || waiting.length > 0 || !isReached)) { view.show(); return; }
      removeDraft(id, number);
      redrawScreen();
    },
  };
}

/**
 * A deal recorded in cards waits for the server, which alone knows the legal actions after each card. Actions
 * that a reload has left in the draft alone are sent again.
 */
function cardsOffline({ id, number, isOpen, draftTaps, home, isCurrent }) {
  let isSending = false;
  const isOnline = () => sessionState().isReached && sessionState().waiting.length === 0;
  const draw = (fresh = false) => showScreen({
    title: t('result.title', { number }), backHref: home, headerEnd: syncStatus(),
    kind: 'record by-action', fresh,
    main: [h('div', { class: 'prompt' }, h('p', { class: 'question', tabindex: '-1' }, t('offline.cards')))],
    bar: [actionLink('table', t('record.to_table'), home, { primary: true })],
  });
  draw(true);

  const goOn = () => (currentSession().deal.number === number ? redrawScreen()
    : location.replace(`${home}/deal/${number}`)); // the deal is complete

  async function sendDraft() {
    isSending = true;
    try {
      if (draftTaps.length > 0) await recordActions(dealBatch(number, draftTaps, isOpen), { number });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      showWarning(error.message);
    }
    isSending = false;
    removeDraft(id, number);
    if (isCurrent()) goOn();
  }

  if (isOnline() && dealDraft(id)?.number === number) sendDraft();
  return {
    update() {
      if (!isCurrent()) return;
      if (!isOnline() || isSending) draw();
      else goOn();
    },
  };
}

/** What a recorder of deal `number` does when another deal is next. `taps`: those of its deal. */
export function leaveOtherDeal({ id, deal }, { number, taps, home, askAboutConflict }) {
  if (isDraftOfDeal(id, deal.number, taps)) redrawScreen();
  else if (taps.length === 0) location.replace(home);
  else if (sessionState().waiting.length > 0) return; // conflicts of earlier deals come first
  else if (deal.number > number) askAboutConflict(taps);
  else location.replace(home); // an earlier deal was undone
}

/** Whether the draft is of another deal now. Opens that deal if it is next and the draft has these taps. */
export function followMovedDraft({ id, deal }, number, taps) {
  if ([undefined, number].includes(dealDraft(id)?.number)) return false;
  if (isDraftOfDeal(id, deal.number, taps)) redrawScreen();
  return true;
}

/** `earlierActions`: the actions of the deal that are recorded or wait; `taps` follow them. */
export function saveDealDraft(id, number, earlierActions, taps) {
  const unstored = areWritesStored() ? []
    : unsentWrites(id).filter((write) => dealOfWrite(write) === number)
      .flatMap(({ body }) => playedActions(body));
  const base = Math.max(0, earlierActions.length - unstored.length);
  saveDraft(id, { number, base, heard: earlierActions.slice(0, base),
    taps: [...earlierActions.slice(base), ...taps] });
}

/**
 * The taps of the draft that follow the actions of the deal so far; none if it does not continue them, or if
 * others sit at the table now.
 */
export function restoreTaps(number, earlierActions) {
  const { id, seats } = currentSession();
  const draft = dealDraft(id);
  if (draft?.number !== number || draft.base > earlierActions.length) return [];
  if (![undefined, seats.join()].includes(draft.seated)) return [];
  const actions = [...draft.heard ?? [], ...draft.taps];
  const beginning = actions.slice(0, earlierActions.length);
  return JSON.stringify(beginning) === JSON.stringify(earlierActions)
    ? actions.slice(earlierActions.length) : [];
}

/** Removes the draft of a deal, unless the write with this note waits in this page's memory only. */
export function removeSafeDraft(id, number, note) {
  if (areWritesStored() || unsentWrites(id).every((write) => write.note !== note)) removeDraft(id, number);
}
