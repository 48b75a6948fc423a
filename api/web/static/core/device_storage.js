// What the device remembers in localStorage: names, language, sessions, groups, drafts of deals. Never a
// token: access lies in a cookie that no script can read.

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
export const knownSession = (id) => knownSessions().find((session) => session.id === id);

/** The day on which a session was opened. A UUID of version 7 begins with the milliseconds since 1970. */
const openingDay = (id) =>
  new Date(id[14] === '7' ? parseInt(id.slice(0, 13).replace('-', ''), 16) : Date.now())
    .toLocaleDateString('sv'); // in Swedish, a day is written as in ISO 8601

export function rememberSession(id, title, game) {
  const otherSessions = knownSessions().filter((session) => session.id !== id);
  const { date } = [...knownSessions(), ...removedEntries()].find((entry) => entry.id === id)
    ?? { date: openingDay(id) };
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

export function rememberDevice(session, device, role) {
  writeItem(`role.${session}`, role);
  writeItem(`phone.${session}`, device);
}

/** The player who owns this device; null until one is chosen. */
export const deviceOwner = (session) => readItem(`holder.${session}`);
export const saveDeviceOwner = (session, player) => writeItem(`holder.${session}`, player);

/**
 * The draft of a deal that is not sent yet, `{ number, base, heard, taps, seated }`, written at every tap, so
 * that a reload loses none. `heard`: the actions recorded before the taps, `base` in number; `seated`: who
 * sat then, where that matters.
 */
export const dealDraft = (session) => readItem(`draft.${session}`);
export const saveDraft = (session, draft) => saveTaps(`draft.${session}`, draft);

/** Calls `follow(session)` when another tab of this browser has changed the draft of a session. */
export const onDraftOfOtherTab = (follow) => addEventListener('storage', ({ key }) => {
  const prefix = `${PREFIX}draft.`;
  if (key?.startsWith(prefix)) follow(key.slice(prefix.length));
});

/** Removes the draft of deal `number`, and none of another: the next deal may have begun. */
export function removeDraft(session, number) {
  if (dealDraft(session)?.number === number) writeItem(`draft.${session}`, null);
}

/** Whether these taps are the draft of deal `number`, which another tab may have renumbered. */
export function isDraftOfDeal(session, number, taps) {
  const draft = dealDraft(session);
  return draft?.number === number && taps.length > 0 && JSON.stringify(draft.taps) === JSON.stringify(taps);
}

// What is typed into a form and not sent yet: it outlasts a reload and a step back, but not the evening.
const TYPED_MS = 12 * 3_600_000;

function typedEntries() {
  const oldest = Date.now() - TYPED_MS;
  return Object.fromEntries(Object.entries(readItem('typed') ?? {}).filter(([, item]) => item?.at > oldest));
}

/** Removes what was typed too long ago, also where no form is opened again. */
export const removeOldEntries = () => { if (readItem('typed')) writeItem('typed', typedEntries()); };

/** What is typed into this form; null if nothing, too long ago, or something that is not like `example`. */
export function typedEntry(form, example = null) {
  const entry = typedEntries()[form]?.entry ?? null;
  return isLike(entry, example) ? entry : null;
}

/**
 * Whether a value has the type of the example: in a list each item that of its first one, in an object each
 * field that of the example's. What is null or missing in the example takes anything.
 */
export function isLike(value, example) {
  if ((example ?? null) === null) return true;
  if (value === null || typeof value !== typeof example || Array.isArray(value) !== Array.isArray(example))
    return false;
  return typeof value !== 'object' || Object.entries(value).every(([key, item]) =>
    isLike(item, Array.isArray(example) ? example[0] : example[key]));
}

/** Keeps what is typed into this form; null removes what has been sent. */
export const keepTypedEntry = (form, entry) =>
  writeItem('typed', { ...typedEntries(), [form]: entry === null ? undefined : { at: Date.now(), entry } });

/** The lists of names in what is typed. */
const NAME_LISTS = new Set(['names', 'seated', 'members']);

/** The storage key of an action that is tapped in part, such as a count. */
export const notesKey = (id) => `half.${id}`;

/** The storage key of the draft of a correction. */
export const correctionDraftKey = (id) => `correct.${id}`;

/** What a correction is based on, as text: a draft applies only while the record still gives the same. */
export const correctionBasis = ({ actions, before: earlierRecords, status }) =>
  JSON.stringify([actions, earlierRecords?.length, status]);

/** Stores the draft of a correction of this record to `actions`. */
export const keepCorrection = (id, record, actions) => saveTaps(correctionDraftKey(id),
  { number: record.number, before: correctionBasis(record), actions, reason: '' });

/**
 * Removes an erased name from this device: from the last players and from the payment details, with all that
 * is typed into forms. A corrected name is replaced by `instead`, and what is typed stays.
 */
export function forgetPlayerName(session, player, name, instead = '') {
  const withoutName = (names) => names.map((item) => (item.trim() === name ? instead : item));
  const [lastNames, lastSetup] = [readItem('names'), readItem('again')];
  if (lastNames) writeItem('names', withoutName(lastNames));
  if (lastSetup) writeItem('again', { ...lastSetup, names: withoutName(lastSetup.names) });
  // an erased name may be in any of them
  writeItem('typed', instead ? JSON.parse(JSON.stringify(typedEntries()), (key, value) =>
    (NAME_LISTS.has(key) && isLike(value, ['']) ? withoutName(value) : value)) : null);
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
  if (place < 0) return; // another tab has removed it
  writeItem(kind, list.toSpliced(place, 1));
  saveRemoved(kind, { ...list[place], place });
}

export function restoreToStart(id) {
  const removedEntry = removedEntries().find((entry) => entry.id === id);
  if (!removedEntry) return; // another tab has restored it
  const { kind, place = 0, ...item } = removedEntry;
  writeItem(kind, START_LISTS[kind]().filter((entry) => entry.id !== id).toSpliced(place, 0, item));
  writeItem('removed', removedEntries().filter((entry) => entry.id !== id));
}
