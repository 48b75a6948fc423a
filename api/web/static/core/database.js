// The writes that wait, in IndexedDB, which all tabs of the form share. They survive a reload and a crash of
// the tab. Without IndexedDB they are in this page's memory only. Knows nothing of sending.

import { WRITES_STORE, hasStorage, runTransaction } from './device_storage.js';

const writesInMemory = new Map();
let isStoring = true;

/** Whether the last write that was saved here survives a reload. */
export const areWritesStored = () => isStoring;

/** Stores a write. Resolves to false, and stores nothing, if another tab has withdrawn it. */
export async function saveWrite(entry) {
  writesInMemory.set(entry.key, entry);
  isStoring = await runTransaction(WRITES_STORE, 'readwrite', (store) => putWrite(store, entry))
    .then(hasStorage, () => false);
  return writesInMemory.has(entry.key);
}

/** Stores what has been in this page's memory only, now that IndexedDB answers. */
export const storeWritesInMemory = () => Promise.all([...writesInMemory.values()].map(saveWrite));

function putWrite(store, entry) {
  const request = store.get(entry.key);
  request.onsuccess = () => {
    if (request.result?.isWithdrawn) writesInMemory.delete(entry.key);
    else {
      adoptNote(entry, request.result);
      store.put(entry);
    }
  };
  return request;
}

/** Another tab may no longer wait for the answer, so that a person is asked if the write is refused. */
function adoptNote(entry, stored) {
  if (stored?.note.ahead) entry.note.ahead = true;
}

export async function removeWrite(key) {
  await runTransaction(WRITES_STORE, 'readwrite', (store) => store.delete(key)).catch(() => null);
  writesInMemory.delete(key); // not before: what is being read now would come back
}

// What takes the place of a withdrawn write, and keeps other tabs from sending it. An older form takes it for
// a refused write, and sends nothing.
const markOf = ({ key }) => ({ key, at: Date.now(), isWithdrawn: true, refused: {} });

/**
 * Removes a write and leaves a mark. Resolves to false, and removes nothing, if another tab has begun to send
 * the write, has had its answer, or has withdrawn it.
 */
export async function withdrawStoredWrite(entry) {
  let isTooLate = false;
  await runTransaction(WRITES_STORE, 'readwrite', (store) => {
    const request = store.get(entry.key);
    request.onsuccess = () => {
      isTooLate = !isUntried(request.result);
      if (!isTooLate) store.put(markOf(entry));
    };
    return request;
  }).catch(() => null);
  if (!isTooLate) writesInMemory.delete(entry.key);
  return !isTooLate;
}

/** Whether no tab has tried to send a write, as it is stored. One that is missing may have been answered. */
const isUntried = (stored) => stored !== undefined && !stored.tried && !stored.isWithdrawn;

/**
 * Replaces a refused write and others of its session, in one transaction: `replaceWrites(mayReplace)` returns
 * those `withdrawn`, which leave marks, and those `added`; `mayReplace(write)` is whether no tab has tried to
 * send it. Resolves to both, or to null, and changes nothing, if another tab has withdrawn the refused write.
 */
export async function exchangeWrites(refused, replaceWrites) {
  let exchange;
  await runTransaction(WRITES_STORE, 'readwrite', (store) => {
    const request = store.getAll();
    request.onsuccess = () => {
      const stored = new Map(request.result.map((entry) => [entry.key, entry]));
      exchange = stored.get(refused.key)?.isWithdrawn ? null
        : replaceWrites((entry) => isUntried(stored.get(entry.key)));
      if (exchange === null) return;
      [...exchange.withdrawn.map(markOf), ...exchange.added].forEach((entry) => store.put(entry));
    };
    return request;
  }).catch(() => null);
  if (exchange === null) return null;
  exchange ??= replaceWrites(() => true); // without IndexedDB
  exchange.withdrawn.forEach(({ key }) => writesInMemory.delete(key));
  exchange.added.forEach((entry) => writesInMemory.set(entry.key, entry));
  return exchange;
}

/**
 * Adds to a write what another tab has stored about it. Resolves to false if another tab has withdrawn it.
 */
export const reloadWrite = (entry) => runTransaction(WRITES_STORE, 'readonly',
  (store) => store.get(entry.key)).then((stored) => {
  if (stored?.isWithdrawn) return false;
  adoptNote(entry, stored);
  return true;
}, () => true);

const MARK_LIFETIME_MS = 30 * 24 * 3600 * 1000; // no other tab still holds such an old write

/** All writes that wait. */
export async function listWrites() {
  const stored = await runTransaction(WRITES_STORE, 'readonly', (store) => store.getAll()).catch(() => null);
  for (const entry of stored ?? []) {
    if (!entry.isWithdrawn) writesInMemory.set(entry.key, entry);
    else if (entry.at < Date.now() - MARK_LIFETIME_MS) removeWrite(entry.key);
    else writesInMemory.delete(entry.key);
  }
  return [...writesInMemory.values()];
}

/** Removes a write and stores the one after it in one transaction. */
export async function replaceWrite(removed, stored) {
  await runTransaction(WRITES_STORE, 'readwrite', (store) => {
    store.delete(removed.key);
    return putWrite(store, stored);
  }).catch(() => null);
  writesInMemory.delete(removed.key);
  writesInMemory.set(stored.key, stored);
}
