// What the device remembers. In localStorage: names, language, sessions, groups, drafts of deals; in
// IndexedDB: the writes that wait, each session as it was last seen, and what is proven of it. Never a token:
// access lies in a cookie that no script can read.

const PREFIX = 'vola.';

const unstored = new Map(); // texts that localStorage does not take, for as long as the page is open

export function readItem(name) {
  try {
    return JSON.parse(unstored.get(name) ?? localStorage.getItem(PREFIX + name));
  } catch {
    return null; // private mode, or a value that something else wrote
  }
}

/** Returns whether it is stored; if not, it is kept until the page is left. */
export function writeItem(name, value) {
  const text = JSON.stringify(value);
  unstored.delete(name);
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, text);
    return true;
  } catch {
    unstored.set(name, text);
    return false;
  }
}

/** Writes what was tapped; the window learns by the event `draftlost` that a reload would lose it. */
export function saveTaps(name, value) {
  if (!writeItem(name, value)) dispatchEvent(new Event('draftlost'));
}

const MAX_SESSIONS = 20;

/** Sessions opened on this device, latest first: id, title, game and date only. */
export const knownSessions = () => readItem('evenings') ?? [];

export function rememberSession(id, title, game) {
  const otherSessions = knownSessions().filter((session) => session.id !== id);
  const { date } = [...knownSessions(), ...removedEntries()].find((entry) => entry.id === id)
    ?? { date: new Date().toLocaleDateString('sv') }; // in Swedish, a day is written as in ISO 8601
  writeItem('evenings', [{ id, title, game, date }, ...otherSessions].slice(0, MAX_SESSIONS));
  otherSessions.slice(MAX_SESSIONS - 1).forEach((session) => saveRemoved('evenings', session));
}

/** Entries removed from the front page, latest first, without those that have been opened again. */
export const removedEntries = () => (readItem('removed') ?? [])
  .filter(({ kind, id }) => !readItem(kind)?.some((item) => item.id === id));

function saveRemoved(kind, item) {
  const list = [{ kind, ...item }, ...removedEntries().filter(({ id }) => id !== item.id)];
  writeItem('removed', list.slice(0, MAX_SESSIONS));
  list.slice(MAX_SESSIONS).forEach(({ id }) => writeItem(`receiver.${id}`, null));
}

/** A player's payment details are kept no longer than the session they were entered for. */
export const paymentReceiver = (session, player) => readItem(`receiver.${session}`)?.[player] ?? null;
export const savePaymentReceiver = (session, player, details) =>
  writeItem(`receiver.${session}`, { ...readItem(`receiver.${session}`), [player]: details });

/** Groups opened on this device, latest first: id, name, and their sessions. */
export const knownGroups = () => readItem('circles') ?? [];

export function rememberGroup({ id, name, sessions: groupSessions }) {
  const otherGroups = knownGroups().filter((group) => group.id !== id);
  writeItem('circles', [{ id, name, evenings: groupSessions.map(({ session }) => session) }, ...otherGroups]
    .slice(0, MAX_SESSIONS));
  otherGroups.slice(MAX_SESSIONS - 1).forEach((group) => saveRemoved('circles', group));
}

/** The group that a session belongs to, as far as this device knows. */
export const groupOfSession = (session) => knownGroups().find((group) => group.evenings.includes(session));

/**
 * The role that the link gave this device. It only decides what is shown; the server checks every request.
 */
export const roleInSession = (session) => readItem(`role.${session}`) ?? 'host';
export function rememberRole(session, token) {
  writeItem(`role.${session}`, /^(host|scorer|viewer)\d/.exec(token)?.[1] ?? 'host');
  writeItem(`phone.${session}`, null);
}

/** The number under which the host let this device in; null if it came by a link. */
export const deviceInSession = (session) => readItem(`phone.${session}`);

export function rememberDevice(session, phone, role) {
  writeItem(`role.${session}`, role);
  writeItem(`phone.${session}`, phone);
}

/** The player who owns this device; null until one is chosen. */
export const deviceOwner = (session) => readItem(`holder.${session}`);

/**
 * The draft of a deal that is not sent yet, `{ number, base, heard, taps, seated }`, written at every tap, so
 * that a reload loses none. `heard`: the actions recorded before the taps, `base` in number.
 */
export const dealDraft = (session) => readItem(`draft.${session}`);
export const saveDraft = (session, draft) => saveTaps(`draft.${session}`, draft);
export const removeDraft = (session) => writeItem(`draft.${session}`, null);

/** Whether these taps are now the draft of deal `number`: another tab has renumbered it. */
export function isDraftMoved(session, number, taps) {
  const draft = dealDraft(session);
  return draft?.number === number && taps.length > 0 && JSON.stringify(draft.taps) === JSON.stringify(taps);
}

/** The storage key of the draft of a correction. */
export const correctionDraftKey = (id) => `correct.${id}`;

/** What a correction is based on, as text: a draft applies only while the record still gives the same. */
export const correctionBasis = ({ actions, before: earlierRecords, status }) =>
  JSON.stringify([actions, earlierRecords?.length, status]);

/** Stores the draft of a correction of this record to `actions`. */
export const keepCorrection = (id, record, actions) => saveTaps(correctionDraftKey(id),
  { number: record.number, before: correctionBasis(record), actions, reason: '' });

/**
 * Removes an erased name from this device: from the last players and from the payment details. A corrected
 * name is replaced by `instead`.
 */
export function forgetPlayerName(session, player, name, instead = '') {
  const withoutName = (names) => names.map((item) => (item.trim() === name ? instead : item));
  if (readItem('names')) writeItem('names', withoutName(readItem('names')));
  if (readItem('again'))
    writeItem('again', { ...readItem('again'), names: withoutName(readItem('again').names) });
  if (!instead) savePaymentReceiver(session, player, null);
  const correctionDraft = readItem(correctionDraftKey(session));
  if (correctionDraft?.reason?.includes(name)) {
    const reason = instead && correctionDraft.reason.replaceAll(name, instead);
    writeItem(correctionDraftKey(session), { ...correctionDraft, reason });
  }
}

// Removing an entry from the front page, and restoring it.
const START_LISTS = { circles: knownGroups, evenings: knownSessions };

/** `kind`: `evenings` (sessions) or `circles` (groups), as they are stored. */
export function removeFromStart(kind, id) {
  const list = START_LISTS[kind]();
  const place = list.findIndex((item) => item.id === id);
  writeItem(kind, list.toSpliced(place, 1));
  saveRemoved(kind, { ...list[place], place });
}

export function restoreToStart(id) {
  const { kind, place = 0, ...item } = removedEntries().find((entry) => entry.id === id);
  writeItem(kind, START_LISTS[kind]().filter((entry) => entry.id !== id).toSpliced(place, 0, item));
  writeItem('removed', removedEntries().filter((entry) => entry.id !== id));
}

export const WRITES_STORE = 'writes';
const SESSIONS_STORE = 'evenings';
const PROOFS_STORE = 'proofs';

const OPENING_LIMIT_MS = 2_500; // after a crash, browsers may not answer before they are started again

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
      if (oldVersion < 1) request.result.createObjectStore(WRITES_STORE, { keyPath: 'key' });
      if (oldVersion < 2) request.result.createObjectStore(SESSIONS_STORE, { keyPath: 'id' });
      request.result.createObjectStore(PROOFS_STORE, { keyPath: 'id' });
    };
    request.onsuccess = () => {
      clearTimeout(timer);
      // A newer version of the form has been opened.
      request.result.onversionchange = () => { request.result.close(); openedDatabase = null; };
      // The browser has closed it by itself: with little storage left, or in the background.
      request.result.onclose = () => { openedDatabase = null; };
      resolve(request.result);
      if (!isMissing) return;
      openedDatabase = Promise.resolve(request.result);
      dispatchEvent(new Event('storagefound'));
    };
    request.onerror = continueWithout;
    request.onblocked = continueWithout;
  });
  return openedDatabase;
}

/** Whether what is recorded outlives this page. */
export const hasStorage = async () => await openDatabase() !== null;

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

// Each session as this device saw it last, for times without a network. It holds no token, and is removed
// when the device loses its access.

/** `snapshot`: `{ said, begun }`, the confirmed state and the actions of the open deal, or null. */
export const saveSnapshot = (id, snapshot) => runTransaction(SESSIONS_STORE, 'readwrite',
  (store) => store.put({ id, ...snapshot })).catch(() => null);

export const readSnapshot = (id) => runTransaction(SESSIONS_STORE, 'readonly', (store) => store.get(id))
  .catch(() => null);

/** What is proven of a session is removed with it. */
export const removeSnapshot = (id) => Promise.all([SESSIONS_STORE, PROOFS_STORE].map((name) =>
  runTransaction(name, 'readwrite', (store) => store.delete(id)).catch(() => null)));

// What each session has proven to this device: see features/proofs/continuation.js.

export const readProofs = (id) => runTransaction(PROOFS_STORE, 'readonly', (store) => store.get(id))
  .catch(() => null);

/**
 * Replaces the record of a session by `change(record)`, in one transaction, as another tab may change it too.
 */
export const updateProofs = (id, change) => runTransaction(PROOFS_STORE, 'readwrite', (store) => {
  const request = store.get(id);
  request.onsuccess = () => store.put({ ...change(request.result ?? null), id });
  return request;
}).catch(() => null);
