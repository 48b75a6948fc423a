// The conflict dialog for a deal that two devices have recorded. The server kept the first version; before
// this device drops its own, the dialog shows both. If they agree, there is no dialog.

import { dealDraft, readItem, removeDraft, saveDraft, writeItem } from '../../core/device_storage.js';
import { currentSession, fetchDeal, playerName } from '../../core/session_store.js';
import { unsentWrites } from '../../core/sync_queue.js';
import { listNames, t } from '../../core/translator.js';
import { completeFromRecord, dealsAgree, readDeal } from '../../domain/deal.js';
import { termsOf } from '../../domain/games.js';
import { cutterOf } from '../../domain/seats.js';
import { actionSentences } from '../../ui/action_sentences.js';
import { h } from '../../ui/elements.js';
import { announce, openSheet } from '../../ui/page.js';
import { keepCorrection, mayCorrect } from '../correcting/draft.js';
import { versionsSideBySide } from './comparison_view.js';

/**
 * Asks what becomes of `taps`, this device's actions for deal `number`, which another device has recorded:
 * they are dropped, become a correction of that deal, or become the next deal. `theirs` is the recorded deal,
 * if known. With `nextDealFirst` the taps come from an older draft and the next deal's recorder stays open.
 */
export async function askAboutTakenNumber({ number, taps, theirs = null, home, nextDealFirst = false }) {
  const state = currentSession();
  const record = await fetchDeal(number).catch(() => theirs);
  if (currentSession()?.id !== state.id) return;
  const terms = termsOf(state);
  const forget = () => (nextDealFirst ? writeItem(olderDraftKey(state.id), null)
    : dealDraft(state.id)?.number === number && removeDraft(state.id));
  if (dealsAgree(taps, record, state, terms)) {
    forget();
    announce(t('offline.alike', { number }));
    if (!nextDealFirst && location.hash.endsWith('/record')) location.replace(`${home}/deal/${number}/now`);
    return;
  }
  const mine = readDeal(taps, { seats: state.seats });
  const next = mayBeNextDeal(state, mine) && !(nextDealFirst && dealDraft(state.id)?.taps.length > 0)
    ? state.deal.number : null;
  const opened = location.hash;
  let chosenScreen = null;
  const choose = (screen, saveAnswer = () => {}) => () => {
    chosenScreen = screen;
    forget();
    saveAnswer();
    dialog.close();
  };
  const button = (key, words, onclick, big = false) =>
    h('button', { type: 'button', class: big ? 'button big' : 'button', 'data-key': key, onclick }, words);
  const dialog = openSheet(t('taken.title', { number }), [
    h('p', {}, t('taken.what'), ' ', t('offline.marked')),
    versionsSideBySide(taps, record, state, terms,
      { theirs: record?.outcome?.text ?? t('taken.unknown'), mine: dealSentence(mine, taps) }),
    button('give-up', t('taken.give_up'), choose(nextDealFirst ? opened : home), true),
    record && mayCorrect(state, record) && button('mine-right', t('offline.mine_right', { number }),
      choose(`${home}/correct/${number}`, () => keepCorrection(state.id, record,
        completeFromRecord(taps, record, state, terms)))),
    next !== null && button('as-next', t('taken.as_next', { number: next }),
      choose(`${home}/record`, () => saveDraft(state.id, { number: next, base: 0, taps }))),
  ]);
  dialog.addEventListener('close', () => {
    // closed without an answer: asks again later
    if (chosenScreen === null && (nextDealFirst || location.hash !== opened)) return;
    const screen = chosenScreen ?? home;
    if (location.hash === screen) dispatchEvent(new HashChangeEvent('hashchange'));
    else location.replace(screen);
  }, { once: true });
}

const olderDraftKey = (id) => `older-draft.${id}`;

/** Sets aside a draft of a deal before `number`, so that `number` can be recorded, and asks about it. */
export function askAboutOlderDraft(id, number, home) {
  const draft = dealDraft(id);
  if (draft?.number < number && draft.taps.length > 0) {
    writeItem(olderDraftKey(id), draft);
    removeDraft(id);
  }
  const older = readItem(olderDraftKey(id));
  if (!older || unsentWrites(id).length > 0) return;
  askAboutTakenNumber({
    number: older.number, taps: [...(older.heard ?? []), ...older.taps], home, nextDealFirst: true,
  });
}

/** Whether the taps can be the next deal: that deal has not begun, and the declarers may declare in it. */
function mayBeNextDeal(state, { declarers, passed }) {
  const { phase, dealer } = state.deal;
  if (state.status !== 'open' || phase !== 'waiting') return false;
  if (!passed && declarers.length === 0) return false;
  if (!declarers.every((id) => state.seats.includes(id))) return false;
  return declarers.length < 2 || [dealer, cutterOf(state.seats, dealer)]
    .every((id) => declarers.includes(id));
}

/** Summarizes a deal: one of five tricks by its result, any other action by action. */
export const dealSentence = (read, actions) => fiveTricksSentence(read)
  || actionSentences(actions).join('. ');

function fiveTricksSentence({ passed, declarers, tricks, result, vola, call }) {
  if (passed) return t('record.all_pass');
  const parts = [];
  if (declarers.length > 0) parts.push(t('record.declared', { names: listNames(declarers.map(playerName)) }));
  if (vola) parts.push(t('record.says_vola', { name: playerName(vola), call: t(`call.${call}`) }));
  if (tricks.length > 0) parts.push(t('taken.tricks', { names: tricks.map(playerName).join(', ') }));
  if (result?.winner) parts.push(t('record.said_winner', { name: playerName(result.winner) }));
  return parts.join('. ');
}
