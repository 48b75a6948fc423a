// The conflict of a write that the server has refused while others wait behind it. Gathers the facts for the
// table in domain/conflict.js, and passes the answer to the sync queue.

import { createKey, sendRequest, sessionPath } from '../../core/api_client.js';
import { dealDraft, isDraftMoved, keepCorrection, removeDraft, roleInSession,
  saveDraft } from '../../core/device_storage.js';
import { Unreached } from '../../core/request_errors.js';
import { currentSession, sessionState, subscribe } from '../../core/session_store.js';
import { fetchDeal } from '../../core/session_sync.js';
import { refusedWrite, resolveRefusal, unsentWrites } from '../../core/sync_queue.js';
import { t } from '../../core/translator.js';
import { ANSWERS, draftBegun, numberShift, refusalFacts } from '../../domain/conflict.js';
import { actionsOfWrites, completeFromRecord, dealAboutWrite } from '../../domain/deal.js';
import { termsOf } from '../../domain/games.js';
import { dealSentence } from '../../ui/action_sentences.js';
import { h } from '../../ui/elements.js';
import { actionButton, clearWarning, redrawScreen, showRefusal, showWarning } from '../../ui/page.js';
import { recordedSentence, resolveConflict, versionsSideBySide } from './conflict_dialog.js';

let openQuestion = null; // the dialog; every way to this screen may ask
let answeredWrite = null; // while the answer about it is stored

/** Asks about the refused write of this session, if there is one and it is not being asked about. */
export async function askAboutRefused(id) {
  const refused = refusedWrite(id);
  if (!refused || currentSession()?.id !== id || openQuestion?.isConnected) return;
  const { write, refusal } = refused;
  const record = await recordedDeal(dealAboutWrite(write), refusal);
  const isAsking = () => refusedWrite(id)?.write === write && answeredWrite !== write;
  if (currentSession()?.id !== id || openQuestion?.isConnected || !isAsking()) return;
  const { waiting, confirmed } = sessionState();
  const facts = refusalFacts({
    write, refusal, record, waiting, session: confirmed, mayWrite: roleInSession(id) !== 'viewer',
    mayReopen: confirmed.closure?.reopenable === true && roleInSession(id) === 'host', draft: dealDraft(id),
  });
  openQuestion = resolveConflict(facts, {
    content: (shows) => dialogContent(facts, shows === 'taken', refusal.message),
    onAnswer: (answer, change, opens) => (Object.hasOwn(DELETED_FIRST, answer)
      ? changeSessionFirst(id, facts, answer) : applyAnswer(id, facts, answer, change, opens)),
  });
  const question = openQuestion;
  if (question === null) return;
  // Another tab may give the answer.
  const stop = subscribe(() => { if (!isAsking()) question.close(); });
  question.addEventListener('close', stop, { once: true });
}

/** The deal that the server has under this number, or null. */
async function recordedDeal(number, refusal) {
  const isOver = refusal.code === 'deal_taken' || number < sessionState().confirmed.deal.number;
  const record = isOver ? refusal.body.deal ?? await fetchDeal(number).catch(() => null) : null;
  return record?.provisional ? null : record;
}

function dialogContent(facts, isTaken, refusal) {
  const { number, ownWrites } = facts;
  return {
    title: number === undefined ? writesSentence(ownWrites)
      : t(isTaken ? 'conflict.title' : 'offline.refused', { number }),
    above: [h('p', {}, isTaken ? t('conflict.what') : refusal), bothVersions(facts)],
  };
}

function bothVersions(facts) {
  const { actions, record } = facts;
  const ownSentence = writesSentence(facts.ownWrites);
  if (record && actions)
    return [h('p', { class: 'muted' }, t('offline.marked')), versionsSideBySide(facts, ownSentence)];
  const version = (title, text) => [h('h3', {}, title), h('p', { class: 'sentence' }, text)];
  return [record && version(t('conflict.theirs'), recordedSentence(record)),
    version(t('conflict.mine'), ownSentence)];
}

/** What stands in the way of the write: the open deal, or the closing of the session. */
const DELETED_FIRST = { void_earlier: ({ deal: { number } }) => `/deals/${number}`, reopen: () => '/closure' };

/** Deletes it past the queue, which this write holds up, and sends the write again. */
async function changeSessionFirst(id, facts, answer) {
  const path = sessionPath(id, DELETED_FIRST[answer](facts.session));
  try {
    const { body: { session } } = await sendRequest('DELETE', path,
      { headers: { 'If-Match': `"${facts.session.version}"`, 'Idempotency-Key': createKey() } });
    const newFacts = { ...facts, session, isBetweenDeals: session.deal.phase === 'waiting' };
    await applyAnswer(id, newFacts, answer, ANSWERS[answer](newFacts), 'table');
  } catch (error) {
    if (error instanceof Unreached) showWarning(t('queue.offline'));
    else await showRefusal(error);
  }
}

async function applyAnswer(id, facts, answer, change, opens) {
  const isAsking = refusedWrite(id)?.write === facts.write;
  // Without an answer the queue stays blocked, and a notice offers the question again.
  if (opens === 'reminder' && isAsking) { remind(id, facts.number); return; }
  if (isAsking) answeredWrite = facts.write;
  const home = `#/s/${id}`;
  // Leaves the recorder, whose draft may get another number here.
  if (opens !== 'nothing') await goToTable(home);
  const isResolved = isAsking && await resolveRefusal(facts.write, change, facts.session.version);
  answeredWrite = null;
  const isDropped = isResolved && facts.restWrite && change(facts.restWrite) === null;
  if (isDropped || (isResolved && isDraftMoved(id, facts.number, facts.write.note.taps ?? [])))
    removeDraft(id, facts.number);
  // All tabs have the same draft, so only the tab whose answer counts moves it.
  if (isResolved) moveDraft(id, answer === 'use_next_number' ? facts.number : facts.number + 1,
    numberShift(answer, facts));
  const draft = draftBegun(answer, facts);
  if (isResolved && draft) saveDraft(id, draft);
  if (opens !== 'nothing' && location.hash === home) redrawScreen();
  if (!isResolved && opens !== 'nothing') showWarning(t('offline.answered'));
  else if (isResolved && opens === 'correction') whenAllSent(id, () => openCorrection(id, facts, home));
}

async function openCorrection(id, { number, record: lastRecord, actions }, home) {
  const record = await fetchDeal(number).catch(() => lastRecord);
  const state = sessionState().confirmed;
  keepCorrection(id, record, completeFromRecord(actions, record, state, termsOf(state)));
  if (location.hash === home) location.hash = `${home}/correct/${number}`;
}

/** Renumbers the draft along with the writes before it: a deal sent under the draft's number removes it. */
function moveDraft(id, first, shift) {
  const draft = dealDraft(id);
  if (shift !== 0 && draft?.number >= first) saveDraft(id, { ...draft, number: draft.number + shift });
}

function remind(id, number) {
  showWarning([number === undefined ? t('offline.other') : t('offline.refused', { number }), ' ',
    actionButton('ask-again', t('offline.answer'), () => askAboutRefused(id).then(clearWarning),
      { secondary: true })]);
}

/** Calls back once the server has every write of this session; never, if it refuses another one. */
function whenAllSent(id, callback) {
  const check = () => {
    if (unsentWrites(id).length > 0 && !refusedWrite(id)) return;
    stop();
    if (unsentWrites(id).length === 0) callback();
  };
  const stop = subscribe(check);
  check();
}

/** Resolves once the address is the table's, so that no other screen is left to draw. */
const goToTable = (home) => location.hash === home || new Promise((resolve) => {
  addEventListener('hashchange', resolve, { once: true });
  location.hash = home;
});

/** Summarizes these writes, which are all about one deal. */
function writesSentence(writes) {
  const [{ note, body }, ...later] = writes;
  const isUndo = note.undoes !== undefined || body?.actions?.[0].type === 'undo';
  const undone = isUndo && (note.what ?? t('offline.undo', { number: dealAboutWrite(writes[0]) }));
  if (undone && later.length === 0) return undone;
  const actions = actionsOfWrites(writes);
  if (!actions) return note.what ?? t('offline.other');
  const recordedHere = dealSentence(actions, currentSession().seats)
    || t('offline.count', { count: actions.length });
  return undone ? `${undone}. ${recordedHere}` : recordedHere;
}
