// Records a deal on the device while the server is out of reach and cannot list the legal actions. The deal
// is sent whole, or as the rest of a deal that the server has in part.

import { dealDraft, removeDraft, saveDraft } from '../../core/device_storage.js';
import { Problem } from '../../core/request_errors.js';
import { currentSession, sessionState } from '../../core/session_store.js';
import { fetchDeal, recordActions, untilForecastSuffices } from '../../core/session_sync.js';
import { t } from '../../core/translator.js';
import { dealBatch, playedActions } from '../../domain/deal.js';
import { askAboutOlderDraft, askAboutOvertakenDraft } from '../../features/conflicts/overtaken_draft.js';
import { announceRecording } from '../../features/presence.js';
import { syncStatus } from '../../features/sync_status.js';
import { h } from '../../ui/elements.js';
import { actionLink, redrawScreen, showScreen, showWarning } from '../../ui/page.js';
import { retellByQuestions } from './retelling.js';

export async function recordOffline({ game, home, isCurrent }) {
  const state = currentSession();
  const { id, deal: { number } } = state;
  const earlierActions = await recordedActions(state);
  if (!isCurrent()) return null;
  if (!game.retold || earlierActions.some(({ type }) => type === 'play'))
    return cardsOffline({ id, number, home, isCurrent });
  const draft = dealDraft(id);
  let sending = false;
  let lost = false;

  async function sendDeal(taps) {
    if (sending || lost) return;
    sending = true;
    view.show();
    const note = { live: number, base: earlierActions.length, taps };
    const open = earlierActions.length > 0 || state.deal.phase !== 'waiting';
    try {
      await Promise.race([recordActions(dealBatch(number, taps, open), note), untilForecastSuffices(note)]);
    } catch (trouble) {
      sending = false;
      if (!(trouble instanceof Problem)) throw trouble;
      if (isCurrent()) view.show();
      if (trouble.code === 'deal_taken') lose(taps, trouble.body.deal);
      else showWarning(trouble.message);
      return;
    }
    removeDraft(id);
    if (isCurrent()) location.replace(`${home}/deal/${number}/now`);
  }

  // Another device recorded a deal under this number: show both before these taps are dropped.
  function lose(taps, theirs = null) {
    lost = true;
    askAboutOvertakenDraft({ number, taps: [...earlierActions, ...taps], theirs, home });
  }

  const view = retellByQuestions({
    state, game, backHref: home, before: earlierActions, title: t('record.title', { number }), done: sendDeal,
    taps: draft?.number === number && draft.base === earlierActions.length ? draft.taps : [],
    keep: (taps) => {
      saveDraft(id, { number, base: earlierActions.length, heard: earlierActions, taps });
      announceRecording(id, taps.length > 0 ? number : null);
    },
    leave: () => { location.hash = home; },
    sending: () => sending,
  });
  askAboutOlderDraft(id, number, home);
  return {
    async update(newState) {
      if (lost || !isCurrent()) return;
      if (sending) { view.show(); return; }
      const taps = view.told();
      if (newState.deal.number !== number) {
        if (sessionState().waiting.length > 0) return; // conflicts of earlier deals come first
        if (taps.length > 0 && newState.deal.number > number) lose(taps);
        else location.replace(home); // no taps to lose, or an earlier deal was undone
        return;
      }
      const moved =
        (await recordedActions(newState).catch(() => earlierActions)).length !== earlierActions.length;
      if (sending || lost || !isCurrent()) return;
      if (moved && taps.length > 0) showWarning(t('record.moved_on'));
      if (moved) removeDraft(id);
      // Redrawing returns to online recording once the server is in reach.
      const { waiting, isReached } = sessionState();
      if (moved || (taps.length === 0 && waiting.length === 0 && isReached)) redrawScreen();
      else view.show();
    },
  };
}

/** A deal recorded in cards waits for the server, which alone knows the legal actions after each card. */
async function cardsOffline({ id, number, home, isCurrent }) {
  if (!isCurrent()) return null;
  const draw = (fresh = false) => showScreen({
    title: t('record.title', { number }), backHref: home, headerEnd: syncStatus(), kind: 'record live', fresh,
    main: [h('div', { class: 'prompt' }, h('p', { class: 'question', tabindex: '-1' }, t('offline.cards')))],
    bar: [actionLink('table', t('record.to_table'), home, { big: true })],
  });
  draw(true);
  return {
    update({ deal: { number: currentNumber } }) {
      if (!isCurrent()) return;
      if (!sessionState().isReached || sessionState().waiting.length > 0) draw();
      else if (currentNumber === number) redrawScreen();
      else location.replace(`${home}/deal/${number}`); // the deal is complete
    },
  };
}

/** The actions of the deal recorded so far, by any device. */
async function recordedActions({ deal: { number, phase } }) {
  const half = sessionState().pendingActions;
  return half.length > 0 || phase === 'waiting' ? half : playedActions(await fetchDeal(number));
}
