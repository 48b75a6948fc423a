// The conflict of a draft whose deal number another device has used: the server kept the first version, and
// before this device drops its own, the dialog shows both. If they agree, there is no dialog.

import { dealDraft, keepCorrection, readItem, removeDraft, roleInSession, saveDraft, saveTaps,
  writeItem } from '../../core/device_storage.js';
import { currentSession, sessionState } from '../../core/session_store.js';
import { fetchDeal } from '../../core/session_sync.js';
import { t } from '../../core/translator.js';
import { draftFacts } from '../../domain/conflict.js';
import { completeFromRecord, dealOfWrite } from '../../domain/deal.js';
import { termsOf } from '../../domain/games.js';
import { dealSentence } from '../../ui/action_sentences.js';
import { h } from '../../ui/elements.js';
import { announce, redrawScreen } from '../../ui/page.js';
import { resolveConflict, versionsSideBySide } from './conflict_dialog.js';

/**
 * Asks what becomes of `taps`, this device's actions for deal `number`, which another device has recorded.
 * `recordedDeal` is that deal, if known. `isOlder`: the taps were set aside, and the next deal's recorder
 * stays open.
 */
export async function askAboutOvertakenDraft({ number, taps, recordedDeal = null, home, isOlder = false }) {
  const session = currentSession();
  const { id } = session;
  const record = await fetchDeal(number).catch(() => recordedDeal);
  if (currentSession()?.id !== id) return;
  const facts = draftFacts({
    number, taps, session, record, isOlder, isNextBegun: isOlder && dealDraft(id)?.taps.length > 0,
    mayWrite: roleInSession(id) !== 'viewer' && sessionState().waiting.length === 0,
  });
  const content = () => ({
    title: t('conflict.title', { number }),
    above: [h('p', {}, t('conflict.what'), ' ', t('offline.marked')),
      versionsSideBySide(facts, dealSentence(taps, session.seats))],
  });
  const onAnswer = (answer, change, opens) => {
    if (change) replaceDraft(facts, change(facts.write));
    if (answer === 'drop') announce(t('offline.alike', { number }));
    if (opens === 'correction')
      keepCorrection(id, record, completeFromRecord(taps, record, session, termsOf(session)));
    openAfterwards(opens, number, home);
  };
  resolveConflict(facts, { content, onAnswer });
}

/** `write`: what the answer has made of the draft; null if it is dropped. */
function replaceDraft({ source, number, session: { id } }, write) {
  if (source === 'older_draft') writeItem(olderDraftKey(id), null);
  else removeDraft(id, number);
  if (write) saveDraft(id, write.note);
}

function openAfterwards(opens, number, home) {
  if (opens === 'nothing') return;
  // The deal may have been sent on an earlier visit; then this screen is not its recorder.
  if (opens === 'recorded_deal' && !location.hash.endsWith('/record')) return;
  const address = {
    same_screen: location.hash, table: home, recorder: `${home}/record`,
    correction: `${home}/correct/${number}`, recorded_deal: `${home}/deal/${number}/now`,
  }[opens];
  if (location.hash === address) redrawScreen();
  else location.replace(address);
}

const olderDraftKey = (id) => `older-draft.${id}`;

/**
 * Sets aside a draft of a deal before `number`, so that `number` can be recorded, and asks about it; not one
 * whose deal waits complete.
 */
export function askAboutOlderDraft(id, number, home) {
  const draft = dealDraft(id);
  const isComplete = sessionState().waiting.some((write) => dealOfWrite(write) === draft?.number);
  if (draft?.number < number && draft.taps.length > 0 && !isComplete) {
    removeDraft(id, draft.number); // first, as a full storage has no room for both
    saveTaps(olderDraftKey(id), draft);
  }
  const older = readItem(olderDraftKey(id));
  if (!older || sessionState().waiting.length > 0) return;
  const { number: olderNumber, heard: earlierActions = [], taps } = older;
  askAboutOvertakenDraft({
    number: olderNumber, taps: [...earlierActions, ...taps], home, isOlder: true,
  });
}
