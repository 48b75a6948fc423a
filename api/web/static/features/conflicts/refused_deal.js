// The conflict dialog for a queued write that the server has refused while others wait behind it.
// domain/refused_write.js holds the table of cases and answers; this file shows the case and passes the
// answer to the sync queue.

import { dealDraft, roleInSession, saveDraft } from '../../core/device_storage.js';
import { confirmedState, currentSession, fetchDeal } from '../../core/session_store.js';
import { onQueue, refusedWrite, settleRefusal, unsentWrites } from '../../core/sync_queue.js';
import { t } from '../../core/translator.js';
import { completeFromRecord, readDeal } from '../../domain/deal.js';
import { termsOf } from '../../domain/games.js';
import { actionsOfWrites, dealAboutWrite } from '../../domain/queued_write.js';
import { ANSWERS, CASES, answersTo, caseOf, numberShift, refusalFacts } from '../../domain/refused_write.js';
import { h } from '../../ui/elements.js';
import { clearWarning, openSheet, redrawScreen, showWarning } from '../../ui/page.js';
import { keepCorrection } from '../correcting/draft.js';
import { versionsSideBySide } from './comparison_view.js';
import { dealSentence } from './taken_number.js';

let openQuestion = null;

/** Asks about the refused write of this session, if there is one and it is not being asked about. */
export async function askAboutRefused(id) {
  const refused = refusedWrite(id);
  if (!refused || openQuestion?.isConnected) return;
  const { entry: write, trouble } = refused;
  const recorded = await recordedDeal(dealAboutWrite(write), trouble);
  if (currentSession()?.id !== id || openQuestion?.isConnected) return;
  const facts = refusalFacts({
    write, trouble, recorded, waiting: unsentWrites(id), session: confirmedState(),
    mayWrite: roleInSession(id) !== 'viewer',
  });
  const { settledBy } = CASES[caseOf(facts)];
  if (settledBy) await settleRefusal(id, ANSWERS[settledBy](facts), facts.session.version);
  else openDialog(id, facts, trouble);
}

/** The deal that the server has under this number, or null. */
async function recordedDeal(number, trouble) {
  const isOver = trouble.code === 'deal_taken' || number < confirmedState().deal.number;
  const record = isOver ? trouble.body.deal ?? await fetchDeal(number).catch(() => null) : null;
  return record?.provisional ? null : record;
}

function openDialog(id, facts, trouble) {
  const { number, own } = facts;
  const isTaken = CASES[caseOf(facts)].shows === 'taken';
  const opened = location.hash;
  let isAnswered = false;
  const giveAnswer = (answer) => {
    isAnswered = true;
    openQuestion.close();
    settle(id, facts, answer);
  };
  openQuestion = openSheet(
    number === undefined ? writesSentence(own) : t(isTaken ? 'taken.title' : 'offline.refused', { number }), [
      h('p', {}, isTaken ? t('taken.what') : trouble.message),
      bothVersions(facts),
      answersTo(facts).map((answer) => answerButton(answer, facts, () => giveAnswer(answer))),
    ]);
  // Closing the sheet answers nothing: the queue stays blocked, and a notice offers the question again.
  openQuestion.addEventListener('close', () => {
    if (!isAnswered && location.hash === opened) remind(id, number);
  }, { once: true });
}

const BUTTONS = {
  give_up: { key: 'give-up', words: () => t('taken.give_up'), isMain: true },
  correct_recorded: { key: 'mine-right', words: ({ number }) => t('offline.mine_right', { number }) },
  use_next_number: {
    key: 'as-next',
    words: (facts) => t('taken.as_next', { number: facts.number + numberShift('use_next_number', facts) }),
  },
  try_again: { key: 'try-again', words: () => t('offline.try_again') },
};

function answerButton(answer, facts, onclick) {
  const { key, words, isMain = false } = BUTTONS[answer];
  return h('button', { type: 'button', 'data-key': key, class: isMain ? 'button big' : 'button', onclick },
    words(facts));
}

function bothVersions({ actions, recorded, session, own }) {
  const recordedText = recorded && (recorded.outcome?.text ?? t('taken.unknown'));
  if (recorded && actions) {
    return [h('p', { class: 'dim' }, t('offline.marked')),
      versionsSideBySide(actions, recorded, session, termsOf(session),
        { theirs: recordedText, mine: writesSentence(own) })];
  }
  const version = (title, text) => [h('h3', {}, title), h('p', { class: 'said' }, text)];
  return [recorded && version(t('taken.theirs'), recordedText),
    version(t('taken.mine'), writesSentence(own))];
}

async function settle(id, facts, answer) {
  const home = `#/s/${id}`;
  await goToTable(home); // leaves the recorder, whose draft may get another number here
  moveDraft(id, facts.number, numberShift(answer, facts));
  await settleRefusal(id, ANSWERS[answer](facts), facts.session.version);
  if (location.hash === home) redrawScreen();
  if (answer === 'correct_recorded') whenAllSent(id, () => openCorrection(id, facts, home));
}

async function openCorrection(id, { number, recorded, actions }, home) {
  const record = await fetchDeal(number).catch(() => recorded);
  const state = confirmedState();
  keepCorrection(id, record, completeFromRecord(actions, record, state, termsOf(state)));
  if (location.hash === home) location.hash = `${home}/correct/${number}`;
}

/** Renumbers the draft along with the writes before it: a deal sent under the draft's number removes it. */
function moveDraft(id, number, shift) {
  const draft = dealDraft(id);
  if (shift !== 0 && draft?.number > number) saveDraft(id, { ...draft, number: draft.number + shift });
}

function remind(id, number) {
  showWarning([number === undefined ? t('offline.other') : t('offline.refused', { number }), ' ',
    h('button', { type: 'button', class: 'button quiet', 'data-key': 'ask-again',
      onclick: () => { clearWarning(); askAboutRefused(id); } }, t('offline.answer'))]);
}

/** Calls back once the server has every write of this session; never, if it refuses another one. */
function whenAllSent(id, callback) {
  const check = () => {
    if (unsentWrites(id).length > 0 && !refusedWrite(id)) return;
    stop();
    if (unsentWrites(id).length === 0) callback();
  };
  const stop = onQueue(check);
  check();
}

/** Resolves once the table is on screen. */
const goToTable = (home) => location.hash === home || new Promise((resolve) => {
  addEventListener('hashchange', resolve, { once: true });
  location.hash = home;
});

/** Summarizes these writes, which are all about one deal. */
function writesSentence(writes) {
  const [{ note }, ...later] = writes;
  const undone = note.undoes !== undefined && (note.what ?? t('offline.undo', { number: note.undoes }));
  if (undone && later.length === 0) return undone;
  const actions = actionsOfWrites(writes);
  if (!actions) return note.what ?? t('offline.other');
  const recordedHere = dealSentence(readDeal(actions, { seats: currentSession().seats }), actions)
    || t('offline.count', { count: actions.length });
  return undone ? `${undone}. ${recordedHere}` : recordedHere;
}
