// The dialog of a conflict: the recorded version of a deal beside this device's, with the differences marked,
// and a button for each answer that the table in domain/conflict.js offers. A deal of five tricks is compared
// trick by trick, any other sentence by sentence.
//
// The conflict of a draft whose deal number another device has used: the server kept the first version, and
// before this device drops its own, the dialog shows both. If they agree, there is no dialog.

import { dealDraft, keepCorrection, readItem, removeDraft, roleInSession, saveDraft, saveTaps,
  writeItem } from '../../core/device_storage.js';
import { currentSession, playerName, sessionState } from '../../core/session_store.js';
import { fetchDeal } from '../../core/session_sync.js';
import { t } from '../../core/translator.js';
import { ANSWERS, CASES, OPENS, answersTo, caseOf, draftFacts, hasOtherDealer,
  numberShift } from '../../domain/conflict.js';
import { TRICKS, completeFromRecord, dealOfWrite, differentTricks, playedActions, samePlayers,
  versionOfRecord, versionOfTaps } from '../../domain/deal.js';
import { termsOf } from '../../domain/games.js';
import { actionSentences, dealSentence } from '../../ui/action_sentences.js';
import { h, hiddenText } from '../../ui/elements.js';
import { actionButton, announce, openSheet, redrawScreen } from '../../ui/page.js';
import { declarersSentence, hueOfPlayer, tokenOfPlayer } from '../../ui/player_tokens.js';

const asNext = (answer) => ({
  key: 'as-next',
  words: (facts) => t('conflict.as_next', { number: facts.number + numberShift(answer, facts) }),
});

const BUTTONS = {
  give_up: { key: 'give-up', words: () => t('conflict.give_up'), isMain: true },
  correct_recorded: { key: 'mine-right', words: ({ number }) => t('offline.mine_right', { number }) },
  use_next_number: asNext('use_next_number'),
  begin_again: asNext('begin_again'),
  try_again: { key: 'try-again', words: () => t('offline.try_again') },
};

/**
 * Settles a conflict by its row in the table: without a dialog, or by the answer that a person gives. Calls
 * `onAnswer(answer, change, opens)` with what the answer makes of each write and what it opens.
 * `content(shows)` gives the title and what stands above the buttons. Returns the dialog, if there is one.
 */
export function settleConflict(facts, { content, onAnswer }) {
  const { shows, settledBy } = CASES[caseOf(facts)];
  const give = (answer) => onAnswer(answer, ANSWERS[answer]?.(facts), OPENS[facts.source][answer]);
  if (settledBy) { give(settledBy); return null; }
  const opened = location.hash;
  let chosenAnswer = 'put_off';
  const { title, above } = content(shows);
  const dialog = openSheet(title, [above, dealerNote(facts), answersTo(facts).map((answer) =>
    answerButton(answer, facts, () => { chosenAnswer = answer; dialog.close(); }))]);
  // A dialog that closes because another screen was opened asks again later.
  dialog.addEventListener('close', () => {
    if (chosenAnswer !== 'put_off' || location.hash === opened) give(chosenAnswer);
  }, { once: true });
  return dialog;
}

const dealerNote = (facts) => hasOtherDealer(facts) && h('p', {}, t('conflict.other_dealer',
  { number: facts.session.deal.number, name: playerName(facts.session.deal.dealer) }));

function answerButton(answer, facts, onclick) {
  const { key, words, isMain = false } = BUTTONS[answer];
  return actionButton(key, words(facts), onclick, { primary: isMain });
}

/** Both versions of the deal that a conflict is about. `ownSentence` summarizes this device's. */
export function versionsSideBySide({ actions, record, session: state }, ownSentence) {
  const terms = termsOf(state);
  const [recordedPart, ownPart] = terms && record?.outcome?.type
    ? fiveTricksVersions(state, versionOfRecord(record, terms), versionOfTaps(actions, state, terms))
    : [record ? playedActions(record) : [], actions].map(actionSentences)
      .map((lines, place, versions) => sentenceList(lines, versions[1 - place]));
  return h('div', { class: 'before-and-after' },
    versionHalf(t('conflict.theirs'), recordedSentence(record), recordedPart),
    versionHalf(t('conflict.mine'), ownSentence, ownPart));
}

export const recordedSentence = (record) => record?.outcome?.text ?? t('conflict.unknown');

/** Both versions of a deal of five tricks: the declarers, if they differ, and the tricks. */
function fiveTricksVersions(state, recorded, tapped) {
  const declarersDiffer = !samePlayers(recorded.declarers, tapped.declarers);
  const differ = differentTricks(tapped, recorded);
  return [recorded, tapped].map((version) => [
    declarersDiffer && version.declarers.length > 0 && h('p', { class: 'changed' },
      declarersSentence(version.declarers)),
    versionSlots(state, version, differ),
  ]);
}

const versionHalf = (title, sentence, content) =>
  h('section', { class: 'version' }, h('h3', {}, title), h('p', { class: 'sentence' }, sentence), content);

/** Five tricks, drawn as in the recorder. `differ`: the places of those that differ. */
function versionSlots(state, { tricks }, differ) {
  if (tricks.length === 0) return null;
  const trick = (place, winner) => {
    const values = { number: place + 1, name: winner ? playerName(winner) : '–' };
    return differ.includes(place) ? t('offline.trick_differs', values) : t('record.said_trick', values);
  };
  return h('ol', { class: 'slots', 'aria-label': t('record.slots') },
    Array.from({ length: TRICKS }, (_, place) => {
      const winner = tricks[place];
      const kind = [winner && hueOfPlayer(state, winner), differ.includes(place) && 'differs'].filter(Boolean)
        .join(' ');
      return h('li', { class: `slot ${kind}` },
        winner ? tokenOfPlayer(state, winner) : h('span', { 'aria-hidden': 'true' }, place + 1),
        hiddenText(trick(place, winner)));
    }));
}

const sentenceList = (lines, otherLines) => lines.length > 0 && h('ol', { class: 'text-panel' },
  lines.map((line, place) => h('li', { class: line === otherLines[place] ? null : 'changed' }, line)));

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
  settleConflict(facts, { content, onAnswer });
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
