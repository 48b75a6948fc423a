// A misdeal: the deal on the table does not count, its stake goes back, and who deals next is agreed
// (docs/rules.md §7, A-PP-16). It is the same in every game. A deal of which nothing is recorded leaves no
// trace, unless its turn to deal passes on.

import { dealDraft, notesKey, removeDraft, saveDraft, writeItem } from '../core/device_storage.js';
import { currentSession, playerName, sessionState } from '../core/session_store.js';
import { recordActions, writeToSession } from '../core/session_sync.js';
import { loadAllSentences, t } from '../core/translator.js';
import { seatsFrom } from '../domain/deal.js';
import { h } from '../ui/elements.js';
import { actionButton, announce, confirmSheet, onceLoaded, openSheet, showRefusal } from '../ui/page.js';

/** Who deals after a misdeal: the same player, or the next. */
export const dealerAfterMisdeal = ({ seats, options, deal: { dealer } }) =>
  (options.misdeal_policy === 'next_dealer' ? seatsFrom(dealer, seats)[1] : dealer);

/**
 * Opens a deal with the action `opening` and voids it at the version that opened it, so that no other phone's
 * deal is voided, in this session, which this phone may have left by then.
 */
export async function recordMisdeal(session, opening) {
  const { session: { version } } = await recordActions([opening], { number: opening.number });
  await voidDeal(session, opening.number, version);
}

const voidDeal = (session, number, version) => writeToSession(`/deals/${number}`, undefined, {
  session, method: 'DELETE', ifMatch: version, note: { correct: number, what: t('void.send', { number }) },
});

/** Says what a misdeal changes, and records it if that is confirmed. */
export const askAboutMisdeal = (number, home) =>
  onceLoaded(loadAllSentences(), () => openQuestion(number, home));

function openQuestion(number, home) {
  if (currentSession()?.deal.number !== number) return; // another phone has recorded the deal
  const misdeal = currentMisdeal();
  const title = t('misdeal.title', { number });
  if (misdeal.obstacle) {
    const sheet = openSheet(title, [
      h('p', {}, misdeal.obstacle),
      h('div', { class: 'button-pair' },
        actionButton('sure-no', t('misdeal.back'), () => sheet.close(), { primary: true })),
    ]);
    return;
  }
  confirmSheet({
    title, words: misdeal.words, cancelLabel: t('misdeal.back'), confirmLabel: t('void.misdealt'),
    onConfirm: () => {
      const { kind, obstacle } = currentMisdeal();
      if (kind === misdeal.kind && !obstacle) carryOut(misdeal, home);
      else openQuestion(number, home); // such as when another phone has begun the deal meanwhile
    },
  });
}

/**
 * What a misdeal means now. `kind`: `recorded` for a deal of which something is recorded, `passed_on` for one
 * whose turn passes on although nothing is, `unsent` for taps on this phone alone. `obstacle`: why it has to
 * wait.
 */
function currentMisdeal() {
  const state = currentSession();
  const { id, deal: { number, phase, dealer } } = state;
  const { waiting, pendingActions, isOutOfReach, isReached, confirmed } = sessionState();
  const nextDealer = dealerAfterMisdeal(state);
  const values = { number, next: number + 1, name: playerName(nextDealer) };
  const kind = phase !== 'waiting' || pendingActions.length > 0 ? 'recorded'
    : nextDealer === dealer ? 'unsent' : 'passed_on';
  const misdeal = { id, number, kind, version: confirmed.version, obstacle: null };
  if (kind === 'unsent') return { ...misdeal, words: [t('misdeal.unsent', values)] };
  const isOffline = isOutOfReach || !isReached;
  if (waiting.length > 0) return { ...misdeal, obstacle: t('record.first') };
  if (kind === 'passed_on' && isOffline) return { ...misdeal, obstacle: t('queue.offline') };
  const hasStake = kind === 'recorded' && state.pot !== null;
  return { ...misdeal, words: [
    t(hasStake ? 'misdeal.stake_back' : 'timeline.deal_voided', values),
    t(nextDealer === dealer ? 'misdeal.same_dealer' : 'misdeal.next_dealer', values),
    t(isOffline ? 'misdeal.offline' : 'misdeal.final'),
  ] };
}

/** Leaves the recorder first: its taps must not become a question about the next deal. */
async function carryOut({ id, number, kind, version }, home) {
  const draft = dealDraft(id);
  removeDraft(id, number);
  writeItem(notesKey(id), null);
  location.replace(home);
  if (kind === 'unsent') {
    announce(t('undo.done.open_deal', { deal: number }));
    return;
  }
  try {
    if (kind === 'recorded') await voidDeal(id, number, version);
    else await recordMisdeal(id, { type: 'open_deal', number });
    announce(t('timeline.deal_voided', { number }));
  } catch (error) {
    if (draft?.number === number && dealDraft(id) === null) saveDraft(id, draft);
    await showRefusal(error);
  }
}
