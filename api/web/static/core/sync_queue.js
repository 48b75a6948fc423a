// Nothing tapped is lost: a write is kept on disk first, then sent with the same key again and again, in
// order,
// until the server has said yes or no. What was refused while more of its evening waits behind it stays, and
// so
// do they, until a person has decided.

import { Problem, createKey, sendRequest } from './api_client.js';
import { listWrites, removeWrite, replaceWrites, saveWrite } from './database.js';

const RETRY_PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000]; // ms between attempts; the last one repeats

let queuedWrites = [];
// evenings that let this phone in no more: what it has for them waits until they do
const lockedSessions = new Set();
let isSending = false;
let failedAttempts = 0;
let lastPlace = 0;
let endPause = () => {};
const replyWaiters = new Map(); // key → who is waiting on this page for the answer
const queueListeners = new Set();

export const onQueue = (listener) => { queueListeners.add(listener); return () =>
  queueListeners.delete(listener); };

/** What is on its way for one evening, and whether the server has been out of reach. */
export const unsentWrites = (id) => queuedWrites.filter((entry) => entry.session === id);
export const isOutOfReach = () => failedAttempts > 0 || navigator.onLine === false;

/** What was refused and holds up the rest of its evening: `{entry, trouble}`, or null. */
export function refusedWrite(id) {
  const entry = queuedWrites.find(({ session, refused }) => session === id && refused);
  return entry ? { entry, trouble: new Problem(entry.refused.status, entry.refused.body) } : null;
}

const notifyQueue = (event = {}) => queueListeners.forEach((listener) => listener(event));

/**
 * Keeps and sends one write. Resolves with the answer, or throws the server's Problem. While the
 * server cannot be reached it does neither: the entry stays, also over reloads. `ifMatch: AFTER`
 * stands for the version that what goes before it will lead to.
 */
export async function enqueueWrite({ session, path, body, method = 'POST', ifMatch = null, note = {} }) {
  lastPlace = Math.max(Date.now(), lastPlace + 1); // a place in the order, whatever the clock says
  const entry = { key: createKey(), at: lastPlace, method, session, path, body, ifMatch, note, tried: false };
  const answer = new Promise((resolve, reject) => replyWaiters.set(entry.key, { resolve, reject }));
  await saveWrite(entry);
  queuedWrites.push(entry);
  notifyQueue();
  sendAll();
  return answer;
}

export const AFTER_PREVIOUS = 'after';

/** Picks up what an earlier visit left behind. */
export async function resumeQueue() {
  const knownKeys = new Set(queuedWrites.map((entry) => entry.key));
  queuedWrites = [...(await listWrites()).filter((entry) => !knownKeys.has(entry.key)), ...queuedWrites];
  lastPlace = Math.max(lastPlace, ...queuedWrites.map(({ at }) => at));
  notifyQueue();
  sendAll();
}

export function sendNow() {
  endPause();
  sendAll();
}

const nextWrite = () => queuedWrites.find(({ session }) => !lockedSessions.has(session)
  && !refusedWrite(session));

/** This phone has been let in to this evening (again). */
export function unlockSession(session) {
  if (lockedSessions.delete(session)) sendAll();
}

/** Nobody waits for the answer to this write any more: a no is asked about. Whether there is one. */
export function stopWaiting(note) {
  const entry = queuedWrites.find((write) => write.note === note);
  if (!entry) return false;
  replyWaiters.delete(entry.key);
  note.ahead = true;
  saveWrite(entry);
  return true;
}

/** The latest write of an evening, if the server cannot have heard of it: as if never written. */
export async function takeBackWrite(session) {
  const entry = latestWrite(session);
  if (!entry) return null;
  queuedWrites.splice(queuedWrites.indexOf(entry), 1);
  replyWaiters.delete(entry.key);
  notifyQueue();
  await removeWrite(entry.key);
  return entry;
}

/** Whether `takeBack` has something to take. */
export const mayTakeBackWrite = (session) => latestWrite(session) !== null;

function latestWrite(session) {
  const entry = unsentWrites(session).at(-1);
  return entry && !entry.tried && entry.note.undoes === undefined ? entry : null;
}

/**
 * A person has decided about what was refused: everything that waits for the evening becomes what
 * `change(entry)` makes of it, null for what is given up. Changed ones are new writes with new keys.
 * `version`: the evening's; what was to follow on something that was given up follows on that.
 */
export async function settleRefusal(session, change, version) {
  const waiting = unsentWrites(session);
  const nextWrites = waiting.map((entry) => {
    const changed = change(entry);
    return changed === null || changed === entry ? changed
      : { ...changed, key: createKey(), tried: false, refused: null };
  }).filter(Boolean);
  if (nextWrites[0]?.ifMatch === AFTER_PREVIOUS) nextWrites[0].ifMatch = version;
  waiting.filter((entry) => !nextWrites.includes(entry)).forEach(({ key }) => replyWaiters.delete(key));
  queuedWrites = [...queuedWrites.filter((entry) => !waiting.includes(entry)), ...nextWrites];
  await replaceWrites(waiting, nextWrites);
  notifyQueue();
  sendAll();
}

async function sendAll() {
  if (isSending) return;
  isSending = true;
  for (let entry = nextWrite(); entry; entry = nextWrite()) {
    const settled = await attemptWrite(entry);
    if (settled === null) {
      failedAttempts += 1;
      notifyQueue();
      await pauseSending(RETRY_PAUSES_MS[Math.min(failedAttempts, RETRY_PAUSES_MS.length) - 1]);
      continue;
    }
    failedAttempts = 0;
    if (settled.code === 'unknown_session') {
      lockedSessions.add(entry.session);
      notifyQueue();
      continue;
    }
    await finishWrite(entry, settled);
  }
  isSending = false;
}

async function attemptWrite(entry) {
  if (navigator.onLine === false) return null; // and the server has certainly not heard of it
  if (!entry.tried) {
    entry.tried = true;
    await saveWrite(entry);
  }
  const { key, method, path, body, ifMatch } = entry;
  try {
    const headers = { 'Idempotency-Key': key };
    if (ifMatch !== null) headers['If-Match'] = `"${ifMatch}"`;
    return await sendRequest(method, path, { body, headers });
  } catch (refusal) {
    return refusal instanceof Problem ? refusal : null;
  }
}

/** The server has said yes or no. */
async function finishWrite(entry, settled) {
  const followers = unsentWrites(entry.session).slice(1);
  const isRefused = settled instanceof Problem;
  if (isRefused && (followers.length > 0 || entry.note.ahead)) {
    entry.refused = { status: settled.status, body: settled.body };
    replyWaiters.delete(entry.key);
    await saveWrite(entry);
    notifyQueue({ stopped: entry.session });
    return;
  }
  queuedWrites.splice(queuedWrites.indexOf(entry), 1);
  const [follower] = followers;
  if (follower?.ifMatch === AFTER_PREVIOUS) {
    follower.ifMatch = settled.body.session.version;
    await replaceWrites([entry], [follower]);
  } else await removeWrite(entry.key);
  const asker = replyWaiters.get(entry.key);
  replyWaiters.delete(entry.key);
  if (isRefused) asker?.reject(settled);
  else asker?.resolve(settled);
  notifyQueue({ entry, settled, orphan: asker === undefined });
}

const pauseSending = (wait) => new Promise((resolve) => {
  const timer = setTimeout(resolve, wait);
  endPause = () => { clearTimeout(timer); resolve(); };
});

addEventListener('online', sendNow);
document.addEventListener('visibilitychange', () => { if (!document.hidden) sendNow(); });
