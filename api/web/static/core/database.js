// What the device stores in IndexedDB: the writes that wait, and each session as it was last seen. Where
// IndexedDB is forbidden, writes are kept in memory and sessions not at all.

export const WRITES_STORE = 'writes';
export const SESSIONS_STORE = 'evenings';

let openedDatabase = null;

function openDatabase() {
  openedDatabase ??= new Promise((resolve) => {
    let request;
    try {
      request = indexedDB.open('vola', 2);
    } catch {
      resolve(null);
      return;
    }
    request.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion < 1) request.result.createObjectStore(WRITES_STORE, { keyPath: 'key' });
      request.result.createObjectStore(SESSIONS_STORE, { keyPath: 'id' });
    };
    request.onsuccess = () => {
      // A newer version of the form has been opened.
      request.result.onversionchange = () => { request.result.close(); openedDatabase = null; };
      resolve(request.result);
    };
    request.onerror = () => resolve(null);
    request.onblocked = () => resolve(null);
  });
  return openedDatabase;
}

/** Runs `work` with an object store and resolves with its request's result; null without IndexedDB. */
export async function runTransaction(name, mode, work) {
  const db = await openDatabase();
  if (db === null) return null;
  return new Promise((resolve, reject) => {
    const transaction = db.transaction(name, mode);
    const request = work(transaction.objectStore(name));
    // Wait for the transaction, not the request: only then is it on disk.
    transaction.oncomplete = () => resolve(request.result ?? null);
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
  });
}

// The writes that wait. They survive a reload and a crash of the tab.
const writesInMemory = new Map();

export async function saveWrite(entry) {
  writesInMemory.set(entry.key, entry);
  await runTransaction(WRITES_STORE, 'readwrite', (store) => store.put(entry)).catch(() => null);
}

export async function removeWrite(key) {
  writesInMemory.delete(key);
  await runTransaction(WRITES_STORE, 'readwrite', (store) => store.delete(key)).catch(() => null);
}

/** All writes that wait, oldest first. */
export async function listWrites() {
  const stored = await runTransaction(WRITES_STORE, 'readonly', (store) => store.getAll()).catch(() => null);
  for (const entry of stored ?? []) writesInMemory.set(entry.key, entry);
  return [...writesInMemory.values()].sort((first, second) => first.at - second.at);
}

/** Removes some writes and adds others in one transaction. */
export async function replaceWrites(removed, added) {
  removed.forEach(({ key }) => writesInMemory.delete(key));
  added.forEach((entry) => writesInMemory.set(entry.key, entry));
  await runTransaction(WRITES_STORE, 'readwrite', (store) => {
    removed.forEach(({ key }) => store.delete(key));
    return added.map((entry) => store.put(entry)).at(-1) ?? store.count();
  }).catch(() => null);
}

// Each session as this device saw it last, for times without a network. It holds no token, and is removed
// when the device loses its access.

/** `snapshot`: `{ said, begun }`, the confirmed state and the actions of the open deal, or null. */
export const saveSnapshot = (id, snapshot) => runTransaction(SESSIONS_STORE, 'readwrite',
  (store) => store.put({ id, ...snapshot })).catch(() => null);

export const readSnapshot = (id) => runTransaction(SESSIONS_STORE, 'readonly', (store) => store.get(id))
  .catch(() => null);

export const removeSnapshot = (id) => runTransaction(SESSIONS_STORE, 'readwrite', (store) => store.delete(id))
  .catch(() => null);
