// A deal of questions and answers told to this phone alone, while the server cannot be asked what may be
// said next. It is sent as one, or as the rest of what the server has heard already.

import { Problem } from '../../core/api_client.js';
import { dealDraft, removeDraft, saveDraft } from '../../core/device_storage.js';
import { currentSession, fetchDeal, isServerInReach, pendingActions, recordActions,
  untilForecastSuffices } from '../../core/session_store.js';
import { unsentWrites } from '../../core/sync_queue.js';
import { t } from '../../core/translator.js';
import { dealBatch, playedActions } from '../../domain/deal.js';
import { askAboutOlderDraft, askAboutTakenNumber } from '../../features/conflicts/taken_number.js';
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

  // Another phone's deal took the number: a person sees both before the taps here are given up.
  function lose(taps, theirs = null) {
    lost = true;
    askAboutTakenNumber({ number, taps: [...earlierActions, ...taps], theirs, home });
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
        if (unsentWrites(id).length > 0) return; // what became of the deals before this one is asked first
        if (taps.length > 0 && newState.deal.number > number) lose(taps); // below, one before it was undone
        else location.replace(home);
        return;
      }
      const moved =
        (await recordedActions(newState).catch(() => earlierActions)).length !== earlierActions.length;
      if (sending || lost || !isCurrent()) return;
      if (moved && taps.length > 0) showWarning(t('record.moved_on'));
      if (moved) removeDraft(id);
      // the server can be asked
      if (moved || (taps.length === 0 && unsentWrites(id).length === 0 && isServerInReach())) redrawScreen();
      else view.show();
    },
  };
}

/** What each card allows is the server's to say: a deal told in cards rests until it can be asked. */
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
      if (!isServerInReach() || unsentWrites(id).length > 0) draw();
      else if (currentNumber === number) redrawScreen();
      else location.replace(`${home}/deal/${number}`); // the deal is complete
    },
  };
}

/** The actions of the deal recorded so far, by any device. */
async function recordedActions({ deal: { number, phase } }) {
  const half = pendingActions();
  return half.length > 0 || phase === 'waiting' ? half : playedActions(await fetchDeal(number));
}
