// The answer of this device's owner to the question whether the sums of a closed session are right. It is
// stored on the device; a yes is sent as a cosignature and a no as an objection, later if there is no network
// now. Neither appends an event, so they do not go through the sync queue.
//
// The answer of a session:
//   closing  the version whose event closed the session; another closing is asked about again
//   choice   'yes', 'no' or 'dismissed'
//   version, player   what a yes or a no is about, and whose it is
//   sums     what a yes confirms
//   status   of a yes or a no: 'waits', 'stored', 'unproven', or 'refused' with the server's `reason`

import { sendRequest, sessionPath } from '../../core/api_client.js';
import { knownSessions, readItem, writeItem } from '../../core/device_storage.js';
import { Problem } from '../../core/request_errors.js';
import { sessionState, subscribe } from '../../core/session_store.js';

const RETRY_MS = 15_000;

const itemName = (id) => `confirmation.${id}`;
const savedAnswer = (id) => readItem(itemName(id));
const isWaiting = (id) => savedAnswer(id)?.status === 'waits';

/** The answer about this closing; null if the owner has given none. */
export function answerAbout(id, closing) {
  const answer = savedAnswer(id);
  return answer?.closing === closing ? answer : null;
}

/** Whether the owner's last answer was that a sum is wrong. */
export const isDenied = (id) => savedAnswer(id)?.choice === 'no';

/** Remembers an answer; `sendAnswer` sends a yes or a no. */
export const saveAnswer = (id, answer) => writeItem(itemName(id), answer);

const sendingSessions = new Set();
const changedSessions = new Set();

export const isAnswerUnderway = (id) => sendingSessions.has(id);

/** Whether the sums have changed after the owner's last answer and before it was sent. */
export const haveSumsChanged = (id) => changedSessions.has(id);

/** Sends the answer that waits in this session, if any; it goes on waiting if it cannot be sent now. */
export async function sendAnswer(id) {
  if (!isWaiting(id) || sendingSessions.has(id)) return;
  sendingSessions.add(id);
  const answer = savedAnswer(id);
  // The owner may have answered again meanwhile, about a later closing.
  const isReplaced = () => JSON.stringify(savedAnswer(id)) !== JSON.stringify(answer);
  const settle = (settled) => { if (!isReplaced()) saveAnswer(id, settled); };
  try {
    const send = answer.choice === 'no' ? sendObjection : (await import('./cosigner.js')).cosign;
    const status = await send(id, answer);
    if (status === 'changed' && !isReplaced()) changedSessions.add(id);
    else changedSessions.delete(id);
    settle(status === 'changed' ? null : { ...answer, status });
  } catch (error) {
    if (error instanceof Problem) settle({ ...answer, status: 'refused', reason: error.message });
    else retryLater(id); // no event may announce that the network is back
  } finally {
    sendingSessions.delete(id);
  }
  listeners.forEach((listener) => listener(id));
  if (isReplaced()) sendAnswer(id);
}

const retryTimers = new Map(); // one of each session, however many events have caused an attempt

function retryLater(id) {
  clearTimeout(retryTimers.get(id));
  retryTimers.set(id, setTimeout(sendAnswer, RETRY_MS, id));
}

async function sendObjection(id, { version, player }) {
  await sendRequest('PUT', sessionPath(id, `/objections/${player}`), { body: { version } });
  return 'stored';
}

const listeners = new Set();

/** Calls `listener(id)` when an answer was sent, or could not be. Returns a function that removes it. */
export function onAnswerSent(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const sendAnswers = () => knownSessions().map(({ id }) => id).forEach(sendAnswer);

let isWatching = false;

/** Sends answers that wait: now, when the network is back, and when the session on the screen changes. */
export function watchAnswers() {
  if (isWatching) return;
  isWatching = true;
  addEventListener('online', sendAnswers);
  subscribe(() => {
    const { id, isReached } = sessionState();
    if (id !== null && isReached && isWaiting(id)) sendAnswer(id);
  });
  sendAnswers();
}
