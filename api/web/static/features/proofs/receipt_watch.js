// Keeps what this device has seen of each session, and checks in quiet moments that the server's history
// still contains it. Loaded after the other modules, so nothing waits for it; a check that cannot be made now
// is made another time.

import { getJson, sessionPath } from '../../core/api_client.js';
import { readProofs, updateProofs } from '../../core/device_storage.js';
import { Problem } from '../../core/request_errors.js';
import { sessionState, subscribe } from '../../core/session_store.js';
import { addReceipt, checkRecord, EMPTY_RECORD, mergeRecord } from './continuation.js';
import { drawAlarm, raiseAlarm, sessionOnScreen } from './history_alarm.js';
import { watchAnswers } from './sum_confirmation.js';

const QUIET_MS = 4_000; // since the last change of the session
const RETRY_MS = 60_000; // after a check that could not be made
const REPEAT_MS = 600_000; // while nothing changes

let timer = null;
let isChecking = false;
let lastCheck = { id: null, version: 0, at: 0 };

/** Starts to watch; called once. */
export function watchReceipts() {
  subscribe((_, news) => {
    keepReceipt(news);
    scheduleCheck();
  });
  addEventListener('hashchange', showAlarmOfSession);
  document.addEventListener('visibilitychange', () => scheduleCheck());
  showAlarmOfSession();
  watchAnswers();
}

/** Keeps the receipt of a write that this device made, whichever session it belongs to. */
function keepReceipt({ entry, reply }) {
  const receipt = reply instanceof Problem ? null : reply?.body?.receipt;
  if (receipt) updateProofs(entry.session, (record) => addReceipt(record ?? EMPTY_RECORD, receipt));
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

const untilIdle = () => new Promise((resolve) => { (window.requestIdleCallback ?? setTimeout)(resolve); });

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
  } catch (trouble) {
    if (trouble.code !== 'unknown_version') return null;
    answer = trouble.body;
  }
  await untilIdle();
  return sessionState().id === id ? answer : null;
}
