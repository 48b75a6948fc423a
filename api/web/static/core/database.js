// What this phone keeps on disk: writes on their way, and each evening as it was last seen.
// Where IndexedDB is forbidden nothing is kept, and whoever asks has to make do with memory.

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
      // a newer form has come
      request.result.onversionchange = () => { request.result.close(); openedDatabase = null; };
      resolve(request.result);
    };
    request.onerror = () => resolve(null);
    request.onblocked = () => resolve(null);
  });
  return openedDatabase;
}

/** Does `work` with a store and resolves with what it asked for; null where there is no disk. */
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

// The outbox on disk: what was written here is still here after a reload or a crash of the tab.
// Where there is no disk it lives in memory, which is the best such a phone can do.
const writesInMemory = new Map();

export async function saveWrite(entry) {
  writesInMemory.set(entry.key, entry);
  await runTransaction(WRITES_STORE, 'readwrite', (store) => store.put(entry)).catch(() => null);
}

export async function removeWrite(key) {
  writesInMemory.delete(key);
  await runTransaction(WRITES_STORE, 'readwrite', (store) => store.delete(key)).catch(() => null);
}

/** Everything unsent, oldest first. */
export async function listWrites() {
  const stored = await runTransaction(WRITES_STORE, 'readonly', (store) => store.getAll()).catch(() => null);
  for (const entry of stored ?? []) writesInMemory.set(entry.key, entry);
  return [...writesInMemory.values()].sort((first, second) => first.at - second.at);
}

/** Some go and others come in their place: both or neither. */
export async function replaceWrites(removed, added) {
  removed.forEach(({ key }) => writesInMemory.delete(key));
  added.forEach((entry) => writesInMemory.set(entry.key, entry));
  await runTransaction(WRITES_STORE, 'readwrite', (store) => {
    removed.forEach(({ key }) => store.delete(key));
    return added.map((entry) => store.put(entry)).at(-1) ?? store.count();
  }).catch(() => null);
}

// Each evening as this phone saw it last, for when the server cannot be asked. Never a token, and
// gone as soon as the evening lets this phone in no more.

/** `seen`: the state as the server told it, and what was said so far of the deal that is open. */
export const saveSnapshot = (id, snapshot) => runTransaction(SESSIONS_STORE, 'readwrite',
  (store) => store.put({ id, ...snapshot })).catch(() => null);

export const readSnapshot = (id) => runTransaction(SESSIONS_STORE, 'readonly', (store) => store.get(id))
  .catch(() => null);

export const removeSnapshot = (id) => runTransaction(SESSIONS_STORE, 'readwrite', (store) => store.delete(id))
  .catch(() => null);
