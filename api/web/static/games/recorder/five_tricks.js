// Records a deal of five tricks: the declarer and the winner of each trick. Each tap is stored on the device;
// the deal is sent when it is complete. The server computes the money.

import { dealDraft, removeDraft, saveDraft } from '../../core/device_storage.js';
import { Problem } from '../../core/request_errors.js';
import { currentSession, sessionState } from '../../core/session_store.js';
import { answerOrForecast, recordActions, recordedActions, refreshSession } from '../../core/session_sync.js';
import { t } from '../../core/translator.js';
import { dealBatch, isUnderstood, readDeal, toggleTrump, TRICKS } from '../../domain/deal.js';
import { termsOf } from '../../domain/games.js';
import { askAboutOlderDraft, askAboutOvertakenDraft } from '../../features/conflicts/overtaken_draft.js';
import { announceRecording } from '../../features/presence.js';
import { undoLastAction } from '../../features/undo.js';
import { announce, redrawScreen, showWarning } from '../../ui/page.js';
import { followMovedDraft, leaveOtherDeal, removeSafeDraft, restoreTaps } from './offline_recorder.js';
import { recordByQuestions } from './online_recorder.js';
import { depthHabit, drawFiveTricks, saveDepthHabit } from './recorder_view.js';

/** How both games of five tricks are recorded; `termsOf(state)` holds their differences. */
export const fiveTricks = {
  tricks: TRICKS,
  usualDepth: 'tricks',
  record: recordFiveTricks,
  recordAgain: recordFiveTricksAgain,
  lateLine: () => import('../late_entry.js').then((file) => file.readFiveTricksLine),
};

async function recordFiveTricks(context) {
  const { game, home } = context;
  if (currentSession().status !== 'open') { location.replace(home); return null; } // nothing more is played
  const earlierActions = await recordedActions(currentSession());
  if (!context.isCurrent()) return null;
  const draft = dealDraft(currentSession().id);
  const isBegun = draft?.number === currentSession().deal.number && draft.taps.length > 0;
  const isInCards = !isUnderstood([...earlierActions, ...isBegun ? draft.taps : []]);
  // Only the server knows the legal actions after each card.
  const isUpToDate = sessionState().isReached && sessionState().waiting.length === 0;
  const byCards = depthHabit(game.key, 'tricks') === 'cards' && !isBegun && isUpToDate;
  return byCards || isInCards ? recordByQuestions(context)
    : composeDeal(context, earlierActions);
}

function composeDeal({ game, home, isCurrent }, knownActions) {
  const { id, deal: { number } } = currentSession();
  const seated = currentSession().seats.join();
  let earlierActions = knownActions;
  const view = {
    home, number, taps: restoreTaps(number, earlierActions), sending: false, asking: null,
    game, byResult: depthHabit(game.key, 'tricks') === 'result', terms: termsOf(currentSession()),
  };

  const readTaps = () => readActions([...earlierActions, ...view.taps], currentSession(), view);

  const show = (fresh = false) => {
    const state = currentSession();
    view.open = state.deal.phase !== 'waiting';
    view.isPaused = view.sending || !sessionState().isForecastComplete;
    view.deal = readTaps();
    drawFiveTricks(state, view, handlers, fresh);
    announceRecording(id, view.taps.length > 0 ? number : null);
  };

  const keep = () =>
    saveDraft(currentSession().id,
      { number, base: earlierActions.length, heard: earlierActions, taps: view.taps, seated });

  const handlers = {
    ...tapHandlers(view, { show, keep, proceed: () => (readTaps().phase === 'closed' ? submit() : show()) }),
    chooseDepth(chosen) {
      saveDepthHabit(game.key, chosen);
      if (chosen === 'cards') { redrawScreen(); return; }
      view.byResult = chosen === 'result';
      show();
    },
    undoTap(words, pressed) {
      if (view.asking !== null) { view.asking = null; show(); return; }
      if (view.taps.length === 0) { undoLastAction(home, pressed); return; }
      view.taps = view.taps.slice(0, -1);
      keep();
      announce(words);
      show();
    },
    submit,
  };

  async function submit() {
    view.sending = true;
    show();
    const note = { number, base: earlierActions.length, heard: earlierActions, taps: view.taps };
    try {
      await answerOrForecast(recordActions(dealBatch(number, view.taps, view.open), note), note);
    } catch (error) {
      view.sending = false;
      if (!(error instanceof Problem)) throw error;
      if (error.code === 'deal_taken') {
        await refreshSession();
        if (isCurrent()) askAboutConflict(view.taps, error.body.deal);
      }
      else {
        showWarning(error.message);
        await refreshSession();
        if (isCurrent()) show();
      }
      return;
    }
    removeSafeDraft(id, number, note);
    if (isCurrent()) location.replace(`${home}/deal/${number}/now`);
  }

  // Another device recorded a deal under this number: show both before these taps are dropped.
  function askAboutConflict(taps, recordedDeal = null) {
    if (view.lost) return; // the dialog is open already
    view.lost = true;
    askAboutOvertakenDraft({ number, taps: [...earlierActions, ...taps], recordedDeal, home });
  }

  show(true);
  askAboutOlderDraft(id, number, home);
  return {
    followDraft() {
      const state = currentSession();
      if (view.sending || view.lost || followMovedDraft(state, number, view.taps)) return;
      view.taps = restoreTaps(number, earlierActions);
      if (state.deal.number === number) show();
      else leaveOtherDeal(state, { number, taps: view.taps, home, askAboutConflict });
    },
    async update(state) {
      if (!isCurrent()) return;
      if (view.sending) { show(); return; }
      if (state.deal.number !== number) {
        leaveOtherDeal(state, { number, taps: view.taps, home, askAboutConflict });
        return;
      }
      if (state.status !== 'open') { location.replace(home); return; } // the table shows the end
      if (state.seats.join() !== seated) { // a player in the taps may have left
        removeDraft(id, number);
        redrawScreen();
        if (view.taps.length > 0) showWarning(t('presence.seated'));
        return;
      }
      const newActions = await recordedActions(state);
      if (!isCurrent() || view.sending) return;
      if (newActions.length !== earlierActions.length) {
        if (view.taps.length > 0) showWarning(t('record.moved_on'));
        if (!isUnderstood(newActions)) { redrawScreen(); return; }
        earlierActions = newActions;
        view.taps = [];
        removeDraft(id, number);
      }
      show();
    },
  };
}

/**
 * Records the deal again from its beginning, for a correction. `state`: the table when the deal was dealt.
 * Calls `onComplete(actions)` once the deal is complete.
 */
function recordFiveTricksAgain({ state, game, backHref, onComplete }) {
  const { number } = state.deal;
  const view = {
    home: backHref, number, title: t('correct.anew_title', { number }), taps: [], sending: false,
    asking: null, open: false, isPaused: false, isCorrection: true,
    game, byResult: depthHabit(game.key, 'tricks') === 'result', terms: termsOf(state),
  };
  const show = (fresh = false) => {
    view.deal = readActions(view.taps, state, view);
    drawFiveTricks(state, view, handlers, fresh);
  };
  const handlers = {
    ...tapHandlers(view, { show, proceed: () => {
      show();
      if (view.deal.phase === 'closed') onComplete(view.taps);
    } }),
    chooseDepth(chosen) { saveDepthHabit(game.key, chosen); view.byResult = chosen === 'result'; show(); },
    undoTap(words) {
      if (view.asking === null) view.taps = view.taps.slice(0, -1);
      view.asking = null;
      announce(words);
      show();
    },
    submit: () => onComplete(view.taps),
  };
  show(true);
  return {};
}

const readActions = (actions, { seats, options }, { terms }) =>
  readDeal(actions, { seats, earlyEnd: options.allow_early_end !== false, ...terms });

/** `proceed()` runs after a tap that may have completed the deal; `keep()` stores the taps. */
const tapHandlers = (view, { show, proceed, keep = () => {} }) => ({
  /** One tap, or several that belong together. */
  tap(words, ...actions) {
    navigator.vibrate?.(8);
    view.asking = null;
    view.taps = [...view.taps, ...actions];
    keep();
    announce(words);
    proceed();
  },
  chooseTrump(suit) {
    view.taps = toggleTrump(view.taps, suit);
    keep();
    show();
  },
  ask(question) { view.asking = question; show(); },
});
