// Nothing tapped is lost: a write is kept on disk first, then sent with the same key again and again, in order,
// until the server has said yes or no. What was refused while more of its evening waits behind it stays, and so
// do they, until a person has decided.

import { all, exchange, put, remove } from './outbox.js';
import { newKey, Problem, request } from './api_client.js';

const PAUSES = [500, 1_000, 2_000, 4_000, 8_000]; // ms between attempts; the last one repeats

let waiting = [];
const held = new Set(); // evenings that let this phone in no more: what it has for them waits until they do
let running = false;
let stumbles = 0;
let last = 0;
let wake = () => {};
const askers = new Map(); // key → who is waiting on this page for the answer
const listeners = new Set();

export const onQueue = (listener) => { listeners.add(listener); return () => listeners.delete(listener); };

/** What is on its way for one evening, and whether the server has been out of reach. */
export const unsent = (id) => waiting.filter((entry) => entry.session === id);
export const outOfReach = () => stumbles > 0 || navigator.onLine === false;

/** The number of the deal that an entry tells of; none if it is of something else. `live`: told question by question. */
export const dealOf = ({ note }) => note.number ?? note.live;

/** What was refused and holds up the rest of its evening: `{entry, trouble}`, or null. */
export function refusedIn(id) {
  const entry = waiting.find(({ session, refused }) => session === id && refused);
  return entry ? { entry, trouble: new Problem(entry.refused.status, entry.refused.body) } : null;
}

const tell = (event = {}) => listeners.forEach((listener) => listener(event));

/**
 * Keeps and sends one write. Resolves with the answer, or throws the server's Problem. While the
 * server cannot be reached it does neither: the entry stays, also over reloads. `ifMatch: AFTER`
 * stands for the version that what goes before it will lead to.
 */
export async function send({ session, path, body, method = 'POST', ifMatch = null, note = {} }) {
  last = Math.max(Date.now(), last + 1); // a place in the order, whatever the clock says
  const entry = { key: newKey(), at: last, method, session, path, body, ifMatch, note, tried: false };
  const answer = new Promise((resolve, reject) => askers.set(entry.key, { resolve, reject }));
  await put(entry);
  waiting.push(entry);
  tell();
  run();
  return answer;
}

export const AFTER = 'after';

/** Picks up what an earlier visit left behind. */
export async function resume() {
  const known = new Set(waiting.map((entry) => entry.key));
  waiting = [...(await all()).filter((entry) => !known.has(entry.key)), ...waiting];
  last = Math.max(last, ...waiting.map(({ at }) => at));
  tell();
  run();
}

export function nudge() {
  wake();
  run();
}

const next = () => waiting.find(({ session }) => !held.has(session) && !refusedIn(session));

/** This phone has been let in to this evening (again). */
export function release(session) {
  if (held.delete(session)) run();
}

/** Nobody waits for the answer to this write any more: a no is asked about. Whether there is one. */
export function letGo(note) {
  const entry = waiting.find((one) => one.note === note);
  if (!entry) return false;
  askers.delete(entry.key);
  note.ahead = true;
  put(entry);
  return true;
}

/** The latest write of an evening, if the server cannot have heard of it: as if never written. */
export async function takeBack(session) {
  const entry = latest(session);
  if (!entry) return null;
  waiting.splice(waiting.indexOf(entry), 1);
  askers.delete(entry.key);
  tell();
  await remove(entry.key);
  return entry;
}

/** Whether `takeBack` has something to take. */
export const mayTakeBack = (session) => latest(session) !== null;

function latest(session) {
  const entry = unsent(session).at(-1);
  return entry && !entry.tried && entry.note.undoes === undefined ? entry : null;
}

/**
 * A person has decided about what was refused: everything that waits for the evening becomes what
 * `change(entry)` makes of it, null for what is given up. Changed ones are new writes with new keys.
 * `version`: the evening's; what was to follow on something that was given up follows on that.
 */
export async function settle(session, change, version) {
  const gone = unsent(session);
  const come = gone.map((entry) => {
    const changed = change(entry);
    return changed === null || changed === entry ? changed : { ...changed, key: newKey(), tried: false, refused: null };
  }).filter(Boolean);
  if (come[0]?.ifMatch === AFTER) come[0].ifMatch = version;
  gone.filter((entry) => !come.includes(entry)).forEach(({ key }) => askers.delete(key));
  waiting = [...waiting.filter((entry) => !gone.includes(entry)), ...come];
  await exchange(gone, come);
  tell();
  run();
}

async function run() {
  if (running) return;
  running = true;
  for (let entry = next(); entry; entry = next()) {
    const settled = await attempt(entry);
    if (settled === null) {
      stumbles += 1;
      tell();
      await pause(PAUSES[Math.min(stumbles, PAUSES.length) - 1]);
      continue;
    }
    stumbles = 0;
    if (settled.code === 'unknown_session') {
      held.add(entry.session);
      tell();
      continue;
    }
    await done(entry, settled);
  }
  running = false;
}

async function attempt(entry) {
  if (navigator.onLine === false) return null; // and the server has certainly not heard of it
  if (!entry.tried) {
    entry.tried = true;
    await put(entry);
  }
  const { key, method, path, body, ifMatch } = entry;
  try {
    const headers = { 'Idempotency-Key': key };
    if (ifMatch !== null) headers['If-Match'] = `"${ifMatch}"`;
    return await request(method, path, { body, headers });
  } catch (refusal) {
    return refusal instanceof Problem ? refusal : null;
  }
}

/** The server has said yes or no. */
async function done(entry, settled) {
  const behind = unsent(entry.session).slice(1);
  const no = settled instanceof Problem;
  if (no && (behind.length > 0 || entry.note.ahead)) {
    entry.refused = { status: settled.status, body: settled.body };
    askers.delete(entry.key);
    await put(entry);
    tell({ stopped: entry.session });
    return;
  }
  waiting.splice(waiting.indexOf(entry), 1);
  const [follower] = behind;
  if (follower?.ifMatch === AFTER) {
    follower.ifMatch = settled.body.session.version;
    await exchange([entry], [follower]);
  } else await remove(entry.key);
  const asker = askers.get(entry.key);
  askers.delete(entry.key);
  if (no) asker?.reject(settled);
  else asker?.resolve(settled);
  tell({ entry, settled, orphan: asker === undefined });
}

const pause = (wait) => new Promise((resolve) => {
  const timer = setTimeout(resolve, wait);
  wake = () => { clearTimeout(timer); resolve(); };
});

addEventListener('online', nudge);
document.addEventListener('visibilitychange', () => { if (!document.hidden) nudge(); });
