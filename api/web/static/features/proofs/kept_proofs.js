// The proofs that this device keeps of each session: what it has seen is compared in quiet moments with the
// server's history. If they contradict each other, both documents are kept, and an alarm stays on every
// screen of the session and offers them as one file. Loaded after the other modules, so nothing waits for it;
// a check that cannot be made now is made another time.

import { getJson, sessionPath } from '../../core/api_client.js';
import { readProofs, updateProofs } from '../../core/database.js';
import { untilIdle, untilPainted } from '../../core/page_timing.js';
import { Problem } from '../../core/request_errors.js';
import { sessionState, subscribe } from '../../core/session_store.js';
import { loadAllSentences, t } from '../../core/translator.js';
import { buildElement, h } from '../../ui/elements.js';
import { actionButton } from '../../ui/page.js';
import { saveFile } from '../../ui/share_controls.js';
import { keyWords } from '../../verify/key_chain.js';
import { addReceipt, checkRecord, EMPTY_RECORD, mergeRecord } from './continuation.js';

const QUIET_MS = 4_000; // since the last change of the session
const RETRY_MS = 60_000; // after a check that could not be made
const REPEAT_MS = 600_000; // while nothing changes
const FILE_FORMAT = 'vola contradiction 1';

let timer = null;
let isChecking = false;
let lastCheck = { id: null, version: 0, at: 0 };

/** Starts to watch; called once. */
export function watchReceipts() {
  subscribe((_, news) => {
    keepReceipt(news);
    scheduleCheck();
  });
  addEventListener('hashchange', () => untilPainted().then(showAlarmOfSession)); // the new screen comes first
  document.addEventListener('visibilitychange', () => scheduleCheck());
  showAlarmOfSession();
}

/** Keeps the receipt of a write that this device made, whichever session it belongs to. */
function keepReceipt({ write, reply }) {
  const receipt = reply instanceof Problem ? null : reply?.body?.receipt;
  if (receipt) updateProofs(write.session, (record) => addReceipt(record ?? EMPTY_RECORD, receipt));
}

/** Shows what an earlier check of the session on the screen has found, and removes it from other screens. */
async function showAlarmOfSession() {
  const id = sessionOnScreen();
  const record = id && await readProofs(id);
  if (id !== sessionOnScreen()) return;
  drawAlarm(id, record?.alarm ?? null);
  scheduleCheck();
}

function scheduleCheck(wait = QUIET_MS) {
  clearTimeout(timer);
  timer = setTimeout(async () => {
    await untilIdle();
    if (isChecking) return;
    isChecking = true;
    let isDone = false;
    try {
      isDone = mayCheck() && await checkSession(sessionState());
    } finally {
      isChecking = false;
      scheduleCheck(isDone ? QUIET_MS : RETRY_MS);
    }
  }, wait);
}

function mayCheck() {
  const { id, confirmed, isReached, isOutOfReach } = sessionState();
  if (document.hidden || id === null || confirmed === null || !isReached || isOutOfReach) return false;
  return lastCheck.id !== id || lastCheck.version !== confirmed.version
    || performance.now() - lastCheck.at >= REPEAT_MS;
}

/** Returns whether the check was made, as far as it goes at a time. */
async function checkSession({ id, confirmed }) {
  const record = await checkRecord(id, await readProofs(id) ?? EMPTY_RECORD, confirmed, {
    request: (path) => requestReceipt(id, path),
    keep: (earlierRecord, proven) =>
      updateProofs(id, (stored) => mergeRecord(stored, earlierRecord, proven)),
    refuse: (earlierRecord, outcome, answer) => raiseAlarm(id, earlierRecord, outcome, answer),
  });
  if (record === null) return false;
  if (record.alarm !== null || record.receipts.length === 0)
    lastCheck = { id, version: confirmed.version, at: performance.now() };
  return true;
}

/** The receipt, or the problem that there is no such version; null for no answer and no access. */
async function requestReceipt(id, path) {
  let answer;
  try {
    answer = await getJson(sessionPath(id, path));
  } catch (error) {
    if (error.code !== 'unknown_version') return null;
    answer = error.body;
  }
  await untilIdle();
  return sessionState().id === id ? answer : null;
}

let shownNotice = null;
let shownSession = null;

function sessionOnScreen() {
  const [, place, id] = location.hash.split('/');
  return place === 's' && id ? id : null;
}

/** Keeps both documents beside the record, and says so; recording goes on. */
export async function raiseAlarm(id, record, { reason, version }, received) {
  const { key, head, receipts, names } = record;
  const kept = { key, head, receipts, names };
  const alarm = { reason, version, at: new Date().toISOString(), kept, received };
  await updateProofs(id, (stored) => ({ ...(stored ?? record), alarm: stored?.alarm ?? alarm }));
  if (sessionOnScreen() === id) drawAlarm(id, alarm);
}

/** Shows what was found in a session; null removes the notice. */
async function drawAlarm(session, alarm) {
  if (shownNotice && alarm !== null && shownSession === session) return; // it is not read aloud again
  shownSession = alarm && session;
  if (alarm !== null) await loadAllSentences().catch(() => null);
  if (shownSession !== (alarm && session)) return; // another screen has been opened meanwhile
  shownNotice?.remove();
  shownNotice = alarm && buildElement(h('aside', { class: 'history-alarm', 'aria-label': t('proofs.title') },
    h('p', { role: 'alert' }, t('proofs.alarm')),
    actionButton('save-proofs', t('proofs.save'), () => saveProofs(session, alarm))));
  // Beside the heading, not inside: a redraw changes only what is inside.
  if (shownNotice) document.querySelector('#head').after(shownNotice);
}

function saveProofs(session, alarm) {
  const text = JSON.stringify({ format: FILE_FORMAT, session, ...alarm }, null, 2);
  saveFile({ blob: new Blob([text], { type: 'application/json' }),
    name: [t('proofs.file'), 'json'].join('.') });
}

/** The book's key in four words, for people to compare with other phones and with a printed statement. */
export const keyLine = (key) => h('section', { class: 'book-key', 'data-key': 'book-key' },
  h('p', {}, t('proof.key'), ' ', h('b', { translate: 'no' }, keyWords(key))),
  h('p', { class: 'muted' }, t('proof.key_what')));

/** The same line for the key that this device keeps for a session; null before it has seen one. */
export async function keptKeyLine(id) {
  const [record] = await Promise.all([readProofs(id), loadAllSentences()]);
  return record?.key ? keyLine(record.key) : null;
}
