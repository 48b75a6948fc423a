// The dialog of a conflict: the recorded version of a deal beside this device's, with the differences marked,
// and a button for each answer that the table in domain/conflict.js offers. A deal of five tricks is compared
// trick by trick, any other sentence by sentence.

import { playerName } from '../../core/session_store.js';
import { t } from '../../core/translator.js';
import { ANSWERS, CASES, OPENS, answersTo, caseOf, hasOtherDealer,
  numberShift } from '../../domain/conflict.js';
import { TRICKS, differentTricks, playedActions, samePlayers, versionOfRecord,
  versionOfTaps } from '../../domain/deal.js';
import { termsOf } from '../../domain/games.js';
import { actionSentences, versionHalf, versionSentences } from '../../ui/action_sentences.js';
import { h, hiddenText } from '../../ui/elements.js';
import { actionButton, openSheet } from '../../ui/page.js';
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
  void_earlier: {
    key: 'void-earlier', words: ({ session }) => t('conflict.void_earlier', { number: session.deal.number }),
  },
  reopen: { key: 'reopen-again', words: () => t('conflict.reopen') },
  try_again: { key: 'try-again', words: () => t('load_error.again') },
};

/**
 * Resolves a conflict by its row in the table: without a dialog, or by the answer that a person gives. Calls
 * `onAnswer(answer, change, opens)` with what the answer makes of each write and what it opens.
 * `content(shows)` gives the title and what stands above the buttons. Returns the dialog, if there is one.
 */
export function resolveConflict(facts, { content, onAnswer }) {
  const { shows, resolvedBy } = CASES[caseOf(facts)];
  const give = (answer) => onAnswer(answer, ANSWERS[answer]?.(facts), OPENS[facts.source][answer]);
  if (resolvedBy) { give(resolvedBy); return null; }
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
      .map((lines, place, versions) => versionSentences(lines, versions[1 - place]));
  return h('div', { class: 'before-and-after' },
    versionHalf(t('conflict.theirs'), h('p', { class: 'sentence' }, recordedSentence(record)), recordedPart),
    versionHalf(t('conflict.mine'), h('p', { class: 'sentence' }, ownSentence), ownPart));
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
