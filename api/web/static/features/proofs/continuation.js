// Whether what the server shows now of a session continues what this device has kept of it: the names first,
// then one receipt after another, until all that is kept is proven to be in the newest checkpoint. Knows no
// page, no store and no network.
//
// The record of a session:
//   key       the book's public key: the first one seen for the session, or one that it has led to since;
//             null before that
//   head      the newest signed checkpoint seen, `{ version, hash, checkpoint }`; null before that
//   receipts  of writes that this device made, `{ version, hash }`, not yet proven to be in a checkpoint
//   names     that this device has seen the players bear, in no hash: see continueNames
//   alarm     null, or what was found: `{ reason, version, at, received, kept }`; then no more is checked

import { isNameErased } from '../../core/translator.js';
import { toBase64, utf8 } from '../../verify/bytes.js';
import { readDocument } from '../../verify/document.js';
import { isKeyEndorsed } from '../../verify/key_chain.js';
import { checkProofs, movedNames } from '../../verify/receipt_check.js';
import { InvalidNote } from '../../verify/signed_note.js';
import { Unreadable } from '../../verify/strict_json.js';

export const EMPTY_RECORD = Object.freeze({ key: null, head: null, receipts: [], names: {}, alarm: null });

/** Whether there is anything that a later state could contradict. */
export const isEmpty = ({ head, receipts }) => head === null && receipts.length === 0;

/** The version to request a receipt of: the kept one, else that of the oldest write, else the one shown. */
export const nextVersion = ({ head, receipts }, shownVersion) => head?.version
  ?? (receipts.length > 0 ? Math.min(...receipts.map(({ version }) => version)) : shownVersion);

/** A record with the receipt of one more write; each is kept once, and none after an alarm. */
export function addReceipt(record, { version, hash }) {
  const isKnown = record.receipts.some((receipt) => receipt.version === version && receipt.hash === hash);
  return isKnown || record.alarm !== null ? record
    : { ...record, receipts: [...record.receipts, { version, hash }] };
}

/**
 * Checks the answer to a request for the receipt of `nextVersion` up to the newest version. Returns
 * `{ record }` with the answer's head in it, or `{ reason, version }` if the answer contradicts what is kept;
 * null if this form cannot read the answer as a receipt, which proves nothing.
 */
export const continueRecord = (session, record, version, answer) => judge(session, record, answer, (doc) => {
  const { head, receipts } = record;
  if (doc.version !== version || (head !== null && !isSameClaim(doc, head)))
    throw new InvalidNote('rewritten', version);
  const newest = Math.max(0, ...receipts.map((receipt) => receipt.version));
  if (doc.head.version < Math.max(version, newest))
    throw new InvalidNote('tail_missing', Math.max(version, newest));
  checkProofs(doc);
  const nextHead = { version: doc.head.version, hash: doc.head.hash, checkpoint: doc.head.checkpoint };
  // The receipts of these two versions need no proof of their own.
  const claims = new Map([[version, doc.hash], [nextHead.version, nextHead.hash]]);
  const rewritten = receipts.find((receipt) => isContradicted(claims, receipt));
  if (rewritten) throw new InvalidNote('rewritten', rewritten.version);
  return { record: { ...record, key: doc.key, head: nextHead,
    receipts: receipts.filter((receipt) => !claims.has(receipt.version)) } };
});

/**
 * Checks the answer to a request for the receipt of a write that this device made, up to the kept head. The
 * result is that of `continueRecord`: a record without this receipt.
 */
export const proveReceipt = (session, record, receipt, answer) => judge(session, record, answer, (doc) => {
  const { head, receipts } = record;
  if (doc.version !== receipt.version || doc.hash !== receipt.hash || doc.head.version !== head.version
    || !isSameClaim(doc.head, head)) throw new InvalidNote('rewritten', receipt.version);
  checkProofs(doc);
  return { record: { ...record, receipts: receipts.filter((item) => item !== receipt) } };
});

/** The versions of the receipt that proves a version to be of the kept history: the older up to the newer. */
export const provenSpan = ({ head }, version) =>
  [Math.min(version, head?.version ?? version), Math.max(version, head?.version ?? version)];

/** Where the receipt of a version up to `last` is, below the session. */
export const receiptPath = (version, last) => `/receipts/${version}?to=${last}`;

/**
 * Checks the answer to a request for the receipt of `provenSpan`. Returns `{ claim }`, the version with its
 * signed checkpoint, or else what `continueRecord` returns.
 */
export const proveVersion = (session, record, version, answer) => judge(session, record, answer, (doc) => {
  const [first, last] = provenSpan(record, version);
  const { head, receipts } = record;
  const claims = new Map([[doc.version, doc], [doc.head.version, doc.head]]);
  const isKept = head === null || (claims.has(head.version) && isSameClaim(claims.get(head.version), head));
  if (doc.version !== first || doc.head.version !== last || !isKept
    || receipts.some(({ version: number, hash }) => claims.has(number) && claims.get(number).hash !== hash))
    throw new InvalidNote('rewritten', version);
  checkProofs(doc);
  const { hash, checkpoint } = claims.get(version);
  return { claim: { version, hash, checkpoint, key: doc.key } };
});

/**
 * What in the record contradicts a whole history: `{ reason, version }`, or null. `proven`: what the verifier
 * has proven of the export, `doc`.
 */
export function findContradiction(record, doc, proven) {
  if (!isKeyEndorsed(record.key, doc)) return { reason: 'other_key', version: null };
  const { head, receipts } = record;
  const claims = head === null ? receipts : [head, ...receipts];
  const missing = claims.find(({ version }) => version > proven.newestVersion);
  if (missing) return { reason: 'tail_missing', version: missing.version };
  const rewritten = claims.find(({ version, hash }) => doc.events[version - 1].hash !== hash)
    ?? (head !== null && toBase64(proven.headAt(head.version).root) !== rootText(head) ? head : null);
  return rewritten && { reason: 'rewritten', version: rewritten.version };
}

/**
 * The record after a check that began with `earlierRecord` and led to `provenRecord`; more may have come
 * meanwhile.
 */
export function mergeRecord(stored, earlierRecord, provenRecord) {
  if (stored === null || stored.alarm !== null) return stored ?? provenRecord;
  const key = ({ version, hash }) => `${version} ${hash}`;
  const unprovenKeys = new Set(provenRecord.receipts.map(key));
  const provenKeys = new Set(earlierRecord.receipts.map(key).filter((receipt) => !unprovenKeys.has(receipt)));
  const isOlder = stored.head !== null && stored.head.version > provenRecord.head.version;
  return { ...stored, ...(isOlder ? {} : { key: provenRecord.key, head: provenRecord.head }),
    names: provenRecord.names ?? {},
    receipts: stored.receipts.filter((receipt) => !provenKeys.has(key(receipt))) };
}

/**
 * Returns what `check(doc)` returns about the answer, read as a receipt; `{ reason, version }` if it is not
 * by the book's key, is of another session, or `check` throws InvalidNote; null if it cannot be read.
 */
function judge(session, record, answer, check) {
  const doc = readReceipt(answer);
  if (doc === null) return null;
  try {
    if (doc.key === null) throw new InvalidNote('unsigned', doc.version);
    if (!isKeyEndorsed(record.key, doc)) throw new InvalidNote('other_key', doc.version);
    if (doc.session !== session) throw new InvalidNote('other_session', doc.version);
    return check(doc);
  } catch (error) {
    if (!(error instanceof InvalidNote)) throw error;
    return { reason: error.code, version: error.version };
  }
}

/** The receipt with its fields checked for their shape; null for anything else, such as a newer format. */
function readReceipt(answer) {
  try {
    const doc = readDocument(utf8(JSON.stringify(answer)));
    return doc.kind === 'receipt' ? doc : null;
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

/** Whether two signed claims are about the same history: the same last hash and the same root. */
const isSameClaim = (claim, keptClaim) => claim.version === keptClaim.version
  && claim.hash === keptClaim.hash && rootText(claim) === rootText(keptClaim);

const rootText = ({ checkpoint }) => (checkpoint ?? '').split('\n')[2];

const isContradicted = (claims, { version, hash }) => claims.has(version) && claims.get(version) !== hash;

/**
 * Compares the players, `[{ id, name }]`, with the names kept, `{ id: [name, …] }`. Returns `{ names }`, to
 * keep from now on, or `{ reason }` if a player bears the name of another. Erased names are kept no longer.
 */
export function continueNames(names, players) {
  if (movedNames(players, (player) => names[player]).length > 0) return { reason: 'names_swapped' };
  const namedPlayers = players.filter((player) => !isNameErased(player));
  return { names: Object.fromEntries(namedPlayers.map(({ id, name }) =>
    [id, [...new Set([...(names[id] ?? []), name])]])) };
}

const MAX_RECEIPTS = 20; // proven in one check; the others in the next

/**
 * Checks a record against the session as the server shows it now, `state`.
 *   request(path)                 resolves to the answer, below the session: a receipt, or the problem
 *                                 `unknown_version`; to null if nothing can be checked now
 *   keep(earlierRecord, record)   keeps what an answer has proven
 *   refuse(record, outcome, answer)   is called with the contradiction, `{ reason, version }`
 * Resolves to the record as far as it is proven; to null after a contradiction, or if there was no answer.
 */
export async function checkRecord(session, record, state, { request, keep, refuse }) {
  if (record.alarm !== null) return record;
  const { names, reason } = continueNames(record.names ?? {}, state.players);
  if (reason) {
    await refuse(record, { reason, version: null }, { players: state.players });
    return null;
  }
  const proveStep = async (earlierRecord, path, outcomeOf) => {
    const answer = await request(path);
    if (answer === null) return null;
    const outcome = answer.code === 'unknown_version'
      // The version was there once: its checkpoint or receipt is kept.
      ? { reason: 'tail_missing', version: answer.version ?? null } : outcomeOf(answer);
    if (outcome?.record) await keep(earlierRecord, outcome.record);
    else if (outcome !== null && !isEmpty(earlierRecord)) await refuse(earlierRecord, outcome, answer);
    return outcome?.record ?? null;
  };
  const version = nextVersion(record, state.version);
  const startRecord = { ...record, names };
  let provenRecord = await proveStep(startRecord, `/receipts/${version}`,
    (answer) => continueRecord(session, startRecord, version, answer));
  for (const receipt of provenRecord?.receipts.slice(0, MAX_RECEIPTS) ?? []) {
    const earlierRecord = provenRecord;
    provenRecord = await proveStep(earlierRecord, receiptPath(receipt.version, earlierRecord.head.version),
      (answer) => proveReceipt(session, earlierRecord, receipt, answer));
    if (provenRecord === null) break;
  }
  return provenRecord;
}
