// Nothing tapped is lost: a write is kept on disk first, then sent with the same key again and
// again, in order, until the server has said a definite yes or no.

import * as outbox from './outbox.js';
import { newKey, Problem, request } from './server.js';

const PAUSES = [500, 1_000, 2_000, 4_000, 8_000]; // ms between attempts; the last one repeats

let waiting = [];
const held = new Set(); // evenings that let this phone in no more: what it has for them waits until they do
let running = false;
let stumbles = 0;
let wake = () => {};
const askers = new Map(); // key → who is waiting on this page for the answer
const listeners = new Set();

export const onQueue = (listener) => { listeners.add(listener); return () => listeners.delete(listener); };

/** What is on its way for one evening, and whether the server has been out of reach. */
export const unsent = (id) => waiting.filter((entry) => entry.session === id);
export const outOfReach = () => stumbles > 0;

const tell = (event = {}) => listeners.forEach((listener) => listener(event));

/**
 * Keeps and sends one write. Resolves with the answer, or throws the server's Problem. While the
 * server cannot be reached it does neither: the entry stays, also over reloads.
 */
export async function send({ session, path, body, method = 'POST', ifMatch = null, note = {} }) {
  const entry = { key: newKey(), at: Date.now(), method, session, path, body, ifMatch, note };
  const answer = new Promise((resolve, reject) => askers.set(entry.key, { resolve, reject }));
  await outbox.put(entry);
  waiting.push(entry);
  tell();
  run();
  return answer;
}

/** Picks up what an earlier visit left behind. */
export async function resume() {
  const known = new Set(waiting.map((entry) => entry.key));
  waiting = [...(await outbox.all()).filter((entry) => !known.has(entry.key)), ...waiting];
  tell();
  run();
}

export function nudge() {
  wake();
  run();
}

const next = () => waiting.find(({ session }) => !held.has(session));

/** This phone has been let in to this evening (again). */
export function release(session) {
  if (held.delete(session)) run();
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
    waiting.splice(waiting.indexOf(entry), 1);
    await outbox.remove(entry.key);
    const asker = askers.get(entry.key);
    askers.delete(entry.key);
    if (settled instanceof Problem) asker?.reject(settled);
    else asker?.resolve(settled);
    tell({ entry, settled, orphan: asker === undefined });
  }
  running = false;
}

async function attempt({ key, method, path, body, ifMatch }) {
  try {
    const headers = { 'Idempotency-Key': key };
    if (ifMatch !== null) headers['If-Match'] = `"${ifMatch}"`;
    return await request(method, path, { body, headers });
  } catch (refusal) {
    return refusal instanceof Problem ? refusal : null;
  }
}

const pause = (wait) => new Promise((resolve) => {
  const timer = setTimeout(resolve, wait);
  wake = () => { clearTimeout(timer); resolve(); };
});

addEventListener('online', nudge);
document.addEventListener('visibilitychange', () => { if (!document.hidden) nudge(); });
