// The sync queue: each write is stored before it is sent, then sent with the same idempotency key until the
// server has accepted or refused it, in order. A refused write stays while others wait behind it, until a
// person has decided. The record of a write is described in database.js.

import { createKey, sendRequest } from './api_client.js';
import { exchangeWrites, listWrites, reloadWrite, removeWrite, replaceWrite, saveWrite, storeWritesInMemory,
  withdrawStoredWrite } from './database.js';
import { untilPainted } from './page_timing.js';
import { Problem } from './request_errors.js';

const RETRY_PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000]; // between attempts; the last one repeats

let queuedWrites = [];
const lockedSessions = new Set(); // without access: their writes wait until this device has it again
let isSending = false;
let failedAttempts = 0;
let lastTime = 0; // of the writes in the queue, and of those sent
const versionsReached = new Map(); // session → the version that its last answered write led to
let endPause = () => {};
const replyWaiters = new Map(); // idempotency key → the note, and the promise of the answer
const queueListeners = new Set();

/** Calls the listener on every change of the queue. */
export const onQueue = (listener) => queueListeners.add(listener);

/** The writes of a session that wait. */
export const unsentWrites = (id) => queuedWrites.filter((write) => write.session === id);
export const isOutOfReach = () => failedAttempts > 0 || navigator.onLine === false;

/** The refused write that holds up the rest of its session: `{ write, refusal }`, or null. */
export function refusedWrite(id) {
  const write = queuedWrites.find(({ session, refused }) => session === id && refused);
  return write ? { write, refusal: new Problem(write.refused.status, write.refused.body) } : null;
}

/** Tells every listener. One that fails, such as a screen that cannot be drawn, must not stop the sending. */
const notifyQueue = (event = {}) => queueListeners.forEach((listener) => {
  try {
    listener(event);
  } catch (error) {
    reportError(error);
  }
});

/**
 * Stores and sends one write. Resolves with the answer, or throws the server's Problem. While the server
 * cannot be reached it does neither, and the write stays, also over reloads. `ifMatch: AFTER_PREVIOUS` stands
 * for the version that the write before leads to.
 */
export async function enqueueWrite({ session, path, body, method = 'POST', ifMatch = null, note = {} }) {
  lastTime = Math.max(Date.now(), lastTime + 1); // keeps the order, whatever the clock says
  const write = { key: createKey(), at: lastTime, method, session, path, body, ifMatch, note, tried: false };
  const answer = new Promise((resolve, reject) => replyWaiters.set(write.key, { note, resolve, reject }));
  await untilPainted(); // what was tapped is shown first: to store the write takes half a frame or more
  await saveWrite(write);
  queuedWrites.push(write);
  notifyQueue();
  sendAll();
  return answer;
}

export const AFTER_PREVIOUS = 'after';

const inOrder = (writes) => writes.toSorted((first, second) => first.at - second.at);

/** Loads the writes of an earlier visit, or of another tab. */
export async function resumeQueue() {
  const stored = await listWrites();
  // one with a waiter may not be in the queue yet
  const knownKeys = new Set([...queuedWrites.map((write) => write.key), ...replyWaiters.keys()]);
  queuedWrites = inOrder([...stored.filter((write) => !knownKeys.has(write.key)), ...queuedWrites]);
  lastTime = Math.max(lastTime, ...queuedWrites.map(({ at }) => at));
  notifyQueue();
  sendAll();
}

/** Sends without waiting for the end of a pause. */
export function sendNow() {
  endPause();
  sendAll();
}

const nextWrite = () => queuedWrites.find(({ session }) => !lockedSessions.has(session)
  && !refusedWrite(session));

/** Sends the writes of a session that this device has access to again. */
export function unlockSession(session) {
  if (lockedSessions.delete(session)) sendAll();
}

/**
 * Stops waiting for the answer to the write with this note: if it is refused later, a person is asked.
 * Returns a promise that resolves once that is stored, or null if there is no such write to wait for.
 */
export function stopWaiting(note) {
  const write = queuedWrites.find((item) => item.note === note);
  if (!write || !replyWaiters.delete(write.key)) return null;
  note.ahead = true;
  return saveWrite(write);
}

/** Whether something on this page waits for the answer to the write with this note. */
export const isAwaited = (note) => [...replyWaiters.values()].some((waiter) => waiter.note === note);

/** Removes the latest write of a session and returns it; null if the server may have received it. */
export async function takeBackWrite(session) {
  const write = latestWrite(session);
  if (!write) return null;
  dropWrites([write]);
  if (await withdrawStoredWrite(write)) return write;
  // Another tab is sending it, or has withdrawn it. What was recorded meanwhile stays behind it.
  queuedWrites = inOrder([...queuedWrites, write]);
  await dropWithdrawnWrites();
  write.tried = true;
  notifyQueue();
  sendAll();
  return null;
}

/** Whether `takeBackWrite` would remove a write. */
export const mayTakeBackWrite = (session) => latestWrite(session) !== null;

function latestWrite(session) {
  const write = unsentWrites(session).at(-1);
  return write && !write.tried && write.note.undoes === undefined ? write : null;
}

/**
 * Applies a person's decision about a refused write: each write of its session becomes what `change(write)`
 * returns, null for one that is dropped, except those that the server may have received. Changed writes get
 * new idempotency keys, and leave marks under the old ones, so that the decision is made in one tab only:
 * resolves to false, and changes nothing, if another tab was first. `version`: the session's version, which
 * the first write then expects if the one before it was dropped.
 */
export async function resolveRefusal(refused, change, version) {
  await resumeQueue(); // what another tab has recorded behind it changes with it
  const waiting = unsentWrites(refused.session);
  const exchange = waiting.includes(refused) ? await exchangeWrites(refused,
    (isUntried) => decidedWrites(waiting, { refused, change, version, isUntried })) : null;
  if (exchange === null) {
    await dropWithdrawnWrites();
    return false;
  }
  const { withdrawn, added, newKeys } = exchange;
  for (const { key } of withdrawn) {
    if (newKeys.has(key) && replyWaiters.has(key)) replyWaiters.set(newKeys.get(key), replyWaiters.get(key));
    replyWaiters.delete(key);
  }
  queuedWrites = inOrder([...queuedWrites.filter((write) => !withdrawn.includes(write)), ...added]);
  notifyQueue();
  sendAll();
  return true;
}

/**
 * The writes that a decision withdraws, and those that it adds in their place. `newKeys`: the new key of each
 * write that only expects another version, by its old one.
 */
function decidedWrites(waiting, { refused, change, version, isUntried }) {
  const [withdrawn, added, newKeys] = [[], [], new Map()];
  let allBeforeDropped = true;
  for (const write of waiting) {
    const mayChange = write === refused || (!write.tried && isUntried(write));
    const changed = mayChange ? change(write) : write;
    const expects = mayChange && allBeforeDropped && changed?.ifMatch === AFTER_PREVIOUS
      ? { ifMatch: version } : {};
    allBeforeDropped &&= changed === null;
    if (changed === write && write !== refused && !('ifMatch' in expects)) continue;
    withdrawn.push(write);
    if (changed === null) continue;
    const key = createKey();
    if (changed === write) newKeys.set(write.key, key);
    added.push({ ...changed, ...expects, key, tried: false, refused: null });
  }
  return { withdrawn, added, newKeys };
}

function dropWrites(writes) {
  queuedWrites = queuedWrites.filter((write) => !writes.includes(write));
  writes.forEach(({ key }) => replyWaiters.delete(key));
  if (queuedWrites.length === 0) failedAttempts = 0; // or the phone would seem out of reach until it writes
  notifyQueue();
}

/**
 * Removes what another tab has withdrawn, and loads what it has put in its place. A write that this tab has
 * tried, and that is not refused, stays: whether it is withdrawn is looked up before it is tried again, and
 * `withdrawnWrite` is one that has been found so.
 */
async function dropWithdrawnWrites(withdrawnWrite = null) {
  const keys = new Set((await listWrites()).map(({ key }) => key));
  const withdrawnWrites = queuedWrites.filter((write) => write === withdrawnWrite
    || ((!write.tried || write.refused) && !keys.has(write.key)));
  if (withdrawnWrites.length === 0) return;
  const awaitedWrite = withdrawnWrites.find(({ key }) => replyWaiters.has(key));
  dropWrites(withdrawnWrites);
  await resumeQueue();
  if (awaitedWrite) notifyQueue({ unansweredSession: awaitedWrite.session });
}

async function sendAll() {
  if (isSending) return;
  isSending = true;
  for (let write = nextWrite(); write; write = nextWrite()) {
    const { outcome, reply } = await attemptWrite(write);
    if (outcome === 'answered') await finishWrite(write, reply);
    else if (outcome === 'withdrawn') await dropWithdrawnWrites(write);
    else {
      failedAttempts += 1;
      notifyQueue();
      await pauseSending(RETRY_PAUSES_MS[Math.min(failedAttempts, RETRY_PAUSES_MS.length) - 1]);
    }
  }
  isSending = false;
}

/**
 * Sends a write once. The outcome is `answered`, with the answer or the server's Problem as the `reply`,
 * `unanswered`, or `withdrawn` in another tab.
 */
async function attemptWrite(write) {
  if (navigator.onLine === false) return { outcome: 'unanswered' }; // it has certainly not been received
  // The write before it was answered after this one was made, but before it was in the queue.
  if (write.ifMatch === AFTER_PREVIOUS)
    write.ifMatch = versionsReached.get(write.session) ?? AFTER_PREVIOUS;
  if (!write.tried) {
    write.tried = true;
    if (!await saveWrite(write)) return { outcome: 'withdrawn' };
  } else if (!await reloadWrite(write)) return { outcome: 'withdrawn' };
  const { key, method, path, body, ifMatch } = write;
  try {
    const headers = { 'Idempotency-Key': key };
    if (ifMatch !== null) headers['If-Match'] = `"${ifMatch}"`;
    const reply = await sendRequest(method, path, { body, headers });
    // An answer without a version is not Vola's, but perhaps that of a network that asks for a login.
    return Number.isInteger(versionAfter(reply)) ? { outcome: 'answered', reply } : { outcome: 'unanswered' };
  } catch (error) {
    if (!(error instanceof Problem)) return { outcome: 'unanswered' };
    return await reloadWrite(write) ? { outcome: 'answered', reply: error } : { outcome: 'withdrawn' };
  }
}

/**
 * Removes a write that the server has answered. A refused one stays while others wait behind it, and any
 * while this device has no access.
 */
async function finishWrite(write, reply) {
  failedAttempts = 0;
  if (reply.code === 'unknown_session') {
    lockedSessions.add(write.session);
    notifyQueue();
    return;
  }
  const waiting = unsentWrites(write.session);
  const followers = waiting.slice(waiting.indexOf(write) + 1);
  const isRefused = reply instanceof Problem;
  if (isRefused) versionsReached.delete(write.session); // nothing may follow a write that is not recorded
  else versionsReached.set(write.session, versionAfter(reply));
  if (isRefused && (followers.length > 0 || write.note.ahead)) {
    write.refused = { status: reply.status, body: reply.body };
    write.note.ahead = true; // so that it stays in the other tabs until a person is asked
    const wasAwaited = replyWaiters.delete(write.key);
    await saveWrite(write);
    notifyQueue({ blockedSession: write.session, unansweredSession: wasAwaited && write.session });
    return;
  }
  const waiter = replyWaiters.get(write.key);
  replyWaiters.delete(write.key); // nobody stops waiting for it any more
  const [follower] = followers;
  if (follower?.ifMatch === AFTER_PREVIOUS) {
    follower.ifMatch = versionAfter(reply);
    await replaceWrite(write, follower);
  } else await removeWrite(write.key);
  // In the same task in which its answer is adopted, or the session would be shown without it for a moment.
  queuedWrites = queuedWrites.filter((item) => item !== write);
  if (isRefused) waiter?.reject(reply);
  else waiter?.resolve(reply);
  notifyQueue({ write, reply, isOrphan: waiter === undefined });
}

/** The version in an answer; the erasure of a name is answered without the session. */
const versionAfter = ({ body }) => (body?.session ?? body)?.version;

const pauseSending = (wait) => new Promise((resolve) => {
  const timer = setTimeout(resolve, wait);
  endPause = () => { clearTimeout(timer); resolve(); };
});

addEventListener('storagefound', () => storeWritesInMemory().then(resumeQueue));
addEventListener('online', () => {
  notifyQueue(); // with nothing to send, no answer would bring the status up to date
  sendNow();
});
document.addEventListener('visibilitychange', () => {
  // Another tab may have been closed before it has sent everything.
  if (!document.hidden) dropWithdrawnWrites().then(resumeQueue).then(sendNow);
});
