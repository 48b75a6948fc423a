// IndexedDB, which all tabs of the form share: each session as this device saw it last, what is proven of it,
// and the writes that wait. Without it, they are in this page's memory only. Knows nothing of sending.

const WRITES_STORE = 'writes';
const SESSIONS_STORE = 'evenings';
const PROOFS_STORE = 'proofs';

const OPENING_LIMIT_MS = 2_500; // after a crash, browsers may not answer before they are started again
const CLEARING_MS = 1_000; // meanwhile, browsers open no database that they have begun to clear

let openedDatabase = null;

/**
 * Resolves to null without IndexedDB, and when it does not answer in time. If it answers later, it is used
 * from then on, and the window learns of it by the event `storagefound`.
 */
function openDatabase() {
  openedDatabase ??= new Promise((resolve) => {
    let isMissing = false;
    const continueWithout = () => { isMissing = true; resolve(null); };
    let request;
    try {
      request = indexedDB.open('vola', 3);
    } catch {
      resolve(null);
      return;
    }
    const timer = setTimeout(continueWithout, OPENING_LIMIT_MS);
    request.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion < 1) {
        const store = request.result.createObjectStore(WRITES_STORE, { keyPath: 'key' });
        writesInMemory.forEach((write) => store.put(write)); // stored before, if the browser has cleared it
      }
      if (oldVersion < 2) request.result.createObjectStore(SESSIONS_STORE, { keyPath: 'id' });
      request.result.createObjectStore(PROOFS_STORE, { keyPath: 'id' });
    };
    request.onsuccess = () => {
      clearTimeout(timer);
      // A newer version of the form has been opened.
      request.result.onversionchange = () => { request.result.close(); openedDatabase = null; };
      // The browser has closed it by itself: in the background, or to clear it for room.
      request.result.onclose = () => { openedDatabase = null; setTimeout(openDatabase, CLEARING_MS); };
      resolve(request.result);
      if (!isMissing) return;
      openedDatabase = Promise.resolve(request.result);
      dispatchEvent(new Event('storagefound'));
    };
    // It may be about to be cleared: the next use opens it again.
    request.onerror = () => { continueWithout(); openedDatabase = null; };
    request.onblocked = continueWithout;
  });
  return openedDatabase;
}

/** Whether what is recorded outlives this page. */
export const hasStorage = async () => await openDatabase() !== null;

/** Runs `work` with an object store and resolves with its request's result; null without IndexedDB. */
async function runTransaction(name, mode, work) {
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

/** Like `runTransaction`, but resolves to null if the transaction fails. */
const tryTransaction = (...transaction) => runTransaction(...transaction).catch(() => null);

// Each session as this device saw it last, for times without a network. It holds no token, and is removed
// when the device loses its access, unless writes wait, whose players it names.

/** `snapshot`: `{ said, begun }`, the confirmed state and the actions of the open deal, or null. */
export const saveSnapshot = (id, snapshot) => tryTransaction(SESSIONS_STORE, 'readwrite',
  (store) => store.put({ id, ...snapshot }));

export const readSnapshot = (id) => tryTransaction(SESSIONS_STORE, 'readonly', (store) => store.get(id));

// The deals as this device has listed them; apart from the snapshot, which every action replaces.
const dealsKey = (id) => `${id}/deals`;

/** `list`: `{ players, deals }`, with the players as they were called then. */
export const saveDeals = (id, list) => tryTransaction(SESSIONS_STORE, 'readwrite',
  (store) => store.put({ id: dealsKey(id), ...list }));

export const readDeals = (id) => tryTransaction(SESSIONS_STORE, 'readonly',
  (store) => store.get(dealsKey(id)));

export const removeDeals = (id) => tryTransaction(SESSIONS_STORE, 'readwrite',
  (store) => store.delete(dealsKey(id)));

/** What is listed and proven of a session is removed with it. */
export const removeSnapshot = (id) => Promise.all([removeDeals(id),
  ...[SESSIONS_STORE, PROOFS_STORE].map((name) =>
    tryTransaction(name, 'readwrite', (store) => store.delete(id)))]);

// What each session has proven to this device: see features/proofs/continuation.js.

export const readProofs = (id) => tryTransaction(PROOFS_STORE, 'readonly', (store) => store.get(id));

/**
 * Replaces the record of a session by `change(record)`, in one transaction, as another tab may change it too.
 */
export const updateProofs = (id, change) => tryTransaction(PROOFS_STORE, 'readwrite', (store) => {
  const request = store.get(id);
  request.onsuccess = () => store.put({ ...change(request.result ?? null), id });
  return request;
});

// The writes that wait. They survive a reload and a crash of the tab.
//
// A write, as it is stored. The names stay: an earlier form may have stored it, and another tab may run one.
//   key        its idempotency key
//   at         when it was made, in milliseconds, but later than all writes before: the order of the queue
//   session    the id of the session that it belongs to
//   method, path, body   of the request
//   ifMatch    the version that it expects; null, or AFTER_PREVIOUS
//   tried      whether the server may have received it
//   refused    the refusal that a person is to decide about, `{ status, body }`; else null or missing
//   note       what it is about, for the form alone:
//     number   of the deal that it records; `live` in a write of an earlier form
//     heard    the actions of the deal before these, `base` in number, if this device knows them
//     taps     the actions that complete a deal
//     undoes   the number of the deal that it opens again
//     back     what that leads back to, for the forecast: the state, and the actions of the deal (`told`)
//     correct  the number of the deal that it corrects or voids
//     cost     the number of the shared cost that it records
//     what     what it is called where people read of it, if nothing above says it
//     ahead    whether the form has continued without its answer, so that a person is asked if it is refused

const writesInMemory = new Map();
let isStoring = true;

/** Whether the last write that was saved here survives a reload. */
export const areWritesStored = () => isStoring;

/** Stores a write. Resolves to false, and stores nothing, if another tab has withdrawn it. */
export async function saveWrite(write) {
  writesInMemory.set(write.key, write);
  isStoring = await runTransaction(WRITES_STORE, 'readwrite', (store) => putWrite(store, write))
    .then(hasStorage, () => false);
  return writesInMemory.has(write.key);
}

/** Stores what has been in this page's memory only, now that IndexedDB answers. */
export const storeWritesInMemory = () => Promise.all([...writesInMemory.values()].map(saveWrite));

function putWrite(store, write) {
  const request = store.get(write.key);
  request.onsuccess = () => {
    if (request.result?.isWithdrawn) writesInMemory.delete(write.key);
    else {
      adoptAhead(write, request.result);
      store.put(write);
    }
  };
  return request;
}

/** If another tab has continued without the answer to this write, so has this one. */
function adoptAhead(write, stored) {
  if (stored?.note.ahead) write.note.ahead = true;
}

export async function removeWrite(key) {
  await tryTransaction(WRITES_STORE, 'readwrite', (store) => store.delete(key));
  writesInMemory.delete(key); // not before: what is being read now would come back
}

// What takes the place of a withdrawn write, and keeps other tabs from sending it. An older form takes it for
// a refused write, and sends nothing.
const markOf = ({ key }) => ({ key, at: Date.now(), isWithdrawn: true, refused: {} });

/**
 * Removes a write and leaves a mark. Resolves to false, and removes nothing, if another tab has begun to send
 * the write, has had its answer, or has withdrawn it.
 */
export async function withdrawStoredWrite(write) {
  let isTooLate = false;
  await tryTransaction(WRITES_STORE, 'readwrite', (store) => {
    const request = store.get(write.key);
    request.onsuccess = () => {
      isTooLate = !isUntried(request.result);
      if (!isTooLate) store.put(markOf(write));
    };
    return request;
  });
  if (!isTooLate) writesInMemory.delete(write.key);
  return !isTooLate;
}

/** Whether no tab has tried to send a write, as it is stored. One that is missing may have been answered. */
const isUntried = (stored) => stored !== undefined && !stored.tried && !stored.isWithdrawn;

/**
 * Replaces a refused write and others of its session, in one transaction: `replaceWrites(mayReplace)` returns
 * those `withdrawn`, which leave marks, and those `added`; `mayReplace(write)` is whether no tab has tried to
 * send it. Resolves to what it has returned; to null, and changes nothing, if another tab has withdrawn the
 * refused write.
 */
export async function exchangeWrites(refused, replaceWrites) {
  let exchange;
  await tryTransaction(WRITES_STORE, 'readwrite', (store) => {
    const request = store.getAll();
    request.onsuccess = () => {
      const stored = new Map(request.result.map((write) => [write.key, write]));
      exchange = stored.get(refused.key)?.isWithdrawn ? null
        : replaceWrites((write) => isUntried(stored.get(write.key)));
      if (exchange === null) return;
      [...exchange.withdrawn.map(markOf), ...exchange.added].forEach((write) => store.put(write));
    };
    return request;
  });
  if (exchange === null) return null;
  exchange ??= replaceWrites(() => true); // without IndexedDB
  exchange.withdrawn.forEach(({ key }) => writesInMemory.delete(key));
  exchange.added.forEach((write) => writesInMemory.set(write.key, write));
  return exchange;
}

/**
 * Adds to a write what another tab has stored about it. Resolves to false if another tab has withdrawn it.
 */
export const reloadWrite = (write) => runTransaction(WRITES_STORE, 'readonly',
  (store) => store.get(write.key)).then((stored) => {
  if (stored?.isWithdrawn) return false;
  adoptAhead(write, stored);
  return true;
}, () => true);

const MARK_LIFETIME_MS = 30 * 24 * 3600 * 1000; // no other tab still holds such an old write

/** All writes that wait. */
export async function listWrites() {
  const stored = await tryTransaction(WRITES_STORE, 'readonly', (store) => store.getAll());
  for (const write of stored ?? []) {
    if (!write.isWithdrawn) writesInMemory.set(write.key, write);
    else if (write.at < Date.now() - MARK_LIFETIME_MS) removeWrite(write.key);
    else writesInMemory.delete(write.key);
  }
  return [...writesInMemory.values()];
}

/** Removes a write and stores the one after it in one transaction. */
export async function replaceWrite(removed, stored) {
  await tryTransaction(WRITES_STORE, 'readwrite', (store) => {
    store.delete(removed.key);
    return putWrite(store, stored);
  });
  writesInMemory.delete(removed.key);
  writesInMemory.set(stored.key, stored);
}
