// The writes of the session that wait: the sheet that lists them, and the conflict of one that the server has
// refused while others wait behind it. For that, gathers the facts for the table in domain/conflict.js, and
// passes the answer to the sync queue.

import { createKey, sendRequest, sessionPath } from '../../core/api_client.js';
import { areWritesStored } from '../../core/database.js';
import { dealDraft, isDraftOfDeal, keepCorrection, removeDraft, roleInSession,
  saveDraft } from '../../core/device_storage.js';
import { Unreached } from '../../core/request_errors.js';
import { currentSession, sessionState, subscribe } from '../../core/session_store.js';
import { fetchDeal } from '../../core/session_sync.js';
import { mayTakeBackWrite, refusedWrite, resolveRefusal, sendNow,
  unsentWrites } from '../../core/sync_queue.js';
import { t } from '../../core/translator.js';
import { ANSWERS, draftBegun, numberShift, refusalFacts } from '../../domain/conflict.js';
import { actionsOfWrites, completeFromRecord, dealAboutWrite, playedActions } from '../../domain/deal.js';
import { termsOf } from '../../domain/games.js';
import { dealSentence } from '../../ui/action_sentences.js';
import { buildElement, h } from '../../ui/elements.js';
import { actionButton, clearWarning, closeSheets, openSheet, redrawScreen, refillPart, showRefusal,
  showWarning } from '../../ui/page.js';
import { undoButton, undoLastAction } from '../undo.js';
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
const DELETED_FIRST = {
  void_earlier: ({ deal: { number } }) => `/deals/${number}`,
  reopen: () => '/closure',
};

/** Deletes it past the queue, which this write holds up, and sends the write again. */
async function changeSessionFirst(id, facts, answer) {
  const path = sessionPath(id, DELETED_FIRST[answer](facts.session));
  try {
    const { body: { session } } = await sendRequest('DELETE', path,
      { headers: { 'If-Match': `"${facts.session.version}"`, 'Idempotency-Key': createKey() } });
    const newFacts = { ...facts, session, isBetweenDeals: session.deal.phase === 'waiting' };
    await applyAnswer(id, newFacts, answer, ANSWERS[answer](newFacts), 'table');
  } catch (error) {
    if (error instanceof Unreached) showWarning(t(error.busy ? 'queue.busy' : 'queue.offline'));
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
  if (isDropped || (isResolved && isDraftOfDeal(id, facts.number, facts.write.note.taps ?? [])))
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

/** Opens the sheet that lists the waiting writes, in the order in which the sync queue sends them. */
export function openWaitingList(home) {
  const { id } = currentSession();
  const body = buildElement(h('div', {}));
  const draw = () => refillPart(body, waitingRows(), waitingButtons(id, home));
  draw();
  const dialog = openSheet(t(areWritesStored() ? 'offline.title' : 'offline.title_unstored'), [body]);
  const stop = subscribe(draw);
  dialog.addEventListener('close', stop, { once: true });
}

function waitingRows() {
  const writes = sessionState().waiting;
  if (writes.length === 0) return h('p', { class: 'empty' }, t('offline.nothing'));
  return h('div', {}, h('p', {}, t(areWritesStored() ? 'offline.what' : 'offline.what_unstored')),
    !sessionState().isForecastComplete && h('p', {}, t('offline.stands')),
    h('ol', { class: 'rows' }, writes.map(waitingRow)));
}

function waitingRow(write) {
  const { deal, sentence } = nameParts(write);
  return h('li', { class: 'row', 'data-waits': dealAboutWrite(write) ?? '' },
    h('span', { class: 'row-name' }, deal ? [h('b', {}, deal), sentence && h('span', { class: 'sentence' },
      sentence)] : sentence),
    h('span', { class: write.refused ? 'tag due' : 'tag' }, t(`offline.${writeStatus(write)}`)));
}

function waitingButtons(id, home) {
  const writes = sessionState().waiting;
  if (writes.length === 0) return null;
  const refused = writes.find((write) => write.refused);
  const answer = () => { closeSheets(); askAboutRefused(id); };
  const undoLastWrite = (pressed) => { closeSheets(); undoLastAction(home, pressed); };
  return h('div', { class: 'button-pair' },
    refused ? actionButton('answer', t('offline.answer'), answer, { primary: true })
      : actionButton('hurry', t('offline.now'), sendNow, { primary: true }),
    mayTakeBackWrite(id) && undoButton('take-back', undoLastWrite, currentSession()));
}

const writeStatus = ({ refused, tried }) => (refused ? 'asks' : tried ? 'going' : 'waits');

/** What a write is called: its deal, if it is about one, and a sentence. */
function nameParts(write) {
  const number = dealAboutWrite(write);
  if (number === undefined) return { sentence: write.note.what ?? t('offline.other') };
  const { note: { undoes, what: label, taps }, body } = write;
  if (undoes !== undefined && !label) return { sentence: t('offline.undo', { number }) };
  const actions = taps ?? playedActions(body);
  return { deal: t('table.last', { number }),
    sentence: label ?? (undoes === undefined && dealSentence(actions, currentSession().seats)) };
}

/** These writes and a draft as text, for another phone to record. */
export const textToRecord = (writes, draft) => [...writes.map(nameParts),
  draft && { deal: t('table.last', { number: draft.number }),
    sentence: dealSentence([...draft.heard ?? [], ...draft.taps], currentSession().seats) },
].filter(Boolean).map(({ deal, sentence }) => [deal, sentence].filter(Boolean).join(': ')).join('\n');
