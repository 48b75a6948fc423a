// Checks a document that somebody has kept: the checks of verify.py, in the same order.

import { equalBytes, toHex } from './bytes.js';
import { checkCosignatures } from './cosignatures.js';
import { readDocument, toIsoTime } from './document.js';
import { checkGroupStatement } from './group_statement_check.js';
import { isKeyEndorsed } from './key_chain.js';
import { hashEvent, leafHash, treeRoot } from './merkle_tree.js';
import { checkDenial, checkNames, checkProofs } from './receipt_check.js';
import { checkLabels } from './session_labels.js';
import { InvalidNote, isSigned, signedRoot } from './signed_note.js';
import { checkStatement } from './statement_check.js';
import { Unreadable } from './strict_json.js';

// Returns the result for these bytes: [exit code, code, version or null]. `earlier`, `exported` and `key`
// (hexadecimal) may be null. If several codes apply, the first one is returned.
export function verifyDocument(document, earlier = null, key = null, exported = null) {
  if (key !== null && !/^[0-9a-fA-F]{64}$/.test(key)) return [2, 'key_unreadable', null];
  const contents = readOrNull(document);
  if (!contents) return [2, 'unreadable', null];
  const old = earlier === null ? null : readOrNull(earlier);
  if (earlier !== null && (!old || NOT_EARLIER.includes(old.kind))) return [2, 'earlier_unreadable', null];
  const events = exported === null ? null : readOrNull(exported);
  if (exported !== null && events?.kind !== 'export') return [2, 'export_unreadable', null];
  if (events && !(contents.kind in EXPORT_CHECKS)) return [2, 'no_statement', null];
  const givenKey = key === null ? null : key.toLowerCase();
  try {
    let proven = CHECKS[contents.kind](contents, givenKey);
    if (events) {
      EXPORT_CHECKS[contents.kind](contents, events, givenKey, CHECKS.export);
      proven = withExport(contents, proven, events, givenKey);
    }
    if (old) compareDocuments(contents, proven, old);
  } catch (error) {
    if (error instanceof InvalidNote) return [error.code === 'event_unknown' ? 2 : 1, error.code,
      error.version];
    throw error;
  }
  return outcome(contents, events);
}

// What a statement proves together with the export that it was made anew from.
function withExport({ kind }, proven, events, givenKey) {
  if (!proven) return proven;
  const own = kind === 'group' ? proven.get(events.session) : proven;
  const exported = CHECKS.export(events, givenKey);
  const combined = { newestVersion: Math.max(own.newestVersion, exported.newestVersion),
    headAt: (version) => own.headAt(version) ?? exported.headAt(version) };
  return kind === 'group' ? new Map(proven).set(events.session, combined) : combined;
}

// Kinds that prove no version of one session, so no document can be compared with them.
const NOT_EARLIER = ['group', 'names', 'denial'];

// The kinds that can be checked with an export: a statement of its session, or a statement of a group that
// includes the session.
const EXPORT_CHECKS = { statement: checkStatement, group: checkGroupStatement };

// The result for a document that holds: depends on its signature, and on whether an export was there to
// compute the statement anew from.
function outcome({ kind, version, signature }, events) {
  const isGroup = kind === 'group';
  if (kind === 'names') return [3, 'names_agree', null];
  if ((kind === 'statement' || isGroup) && signature === null)
    return [3, events ? (isGroup ? 'group_figures' : 'figures') : 'adds_up', version];
  return [0, events ? (isGroup ? 'group_remade' : 'remade') : kind, version];
}

function readOrNull(bytes) {
  try {
    return readDocument(bytes);
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

const EVENTS_IN_A_SLICE = 100;

// Checks an export, or throws InvalidNote. Yields the number of checked events after each slice, so that a
// page can draw and answer taps in between.
export function* proveExport(doc, givenKey = null) {
  const key = signingKey(doc, givenKey);
  const leaves = [];
  let previousHash = new Uint8Array(32);
  for (const [i, event] of doc.events.entries()) {
    if (event.version !== i + 1) throw new InvalidNote('hole', i + 1);
    previousHash = hashEvent(doc.session, event, previousHash);
    if (toHex(previousHash) !== event.hash) throw new InvalidNote('hash_wrong', i + 1);
    leaves.push(leafHash(previousHash));
    if (leaves.length % EVENTS_IN_A_SLICE === 0) yield leaves.length;
  }
  const newest = doc.events.at(-1);
  if (!newest || newest.version !== doc.version || newest.hash !== doc.hash
    || toIsoTime(newest.at) !== doc.at) {
    throw new InvalidNote('head_wrong', doc.version);
  }
  yield leaves.length;
  const root = signedRoot(doc, doc.session, key);
  if (!equalBytes(root, treeRoot(leaves))) throw new InvalidNote('root_wrong', doc.version);
  checkCosignatures(doc, doc.version, root);
  checkLabels(doc, key);
  const headAt = (version) => ({
    hash: doc.events[version - 1].hash,
    // Computed when it is needed: a hostile file may name every version many times.
    get root() { return treeRoot(leaves.slice(0, version)); },
  });
  return { newestVersion: doc.version, headAt };
}

function runToEnd(slices) {
  let slice = slices.next();
  while (!slice.done) slice = slices.next();
  return slice.value;
}

// Checks what a statement proves by itself: its signatures, and that it adds up.
export const proveStatement = (doc, givenKey = null) => CHECKS.statement(doc, givenKey);

// Each check returns what it has proven: `newestVersion`, and `headAt(version)`, the hash and root of a
// version that the document shows. A group's returns these by session. Null: no version is proven.
const CHECKS = {
  export: (doc, givenKey) => runToEnd(proveExport(doc, givenKey)),

  receipt(doc, givenKey) {
    signingKey(doc, givenKey);
    const [root, headRoot] = checkProofs(doc);
    const { version, hash, head } = doc;
    checkCosignatures(doc, head.version, headRoot);
    const heads = new Map([[version, { hash, root }], [head.version, { hash: head.hash, root: headRoot }]]);
    return { newestVersion: head.version, headAt: (number) => heads.get(number) };
  },

  statement(doc, givenKey) {
    const heads = new Map();
    if (doc.checkpoint !== null || doc.signature !== null) {
      const root = signedRoot(doc, doc.session, signingKey(doc, givenKey));
      checkCosignatures(doc, doc.version, root);
      heads.set(doc.version, { hash: doc.hash, root });
    } else if (doc.witnessed !== null || doc.witnesses?.length > 0) {
      throw new InvalidNote('unsigned'); // no version is proven to continue the cosigned one
    } else if (doc.key !== null && !isKeyEndorsed(givenKey, doc)) {
      throw new InvalidNote('other_key');
    }
    if (doc.player !== null) checkRunningBalance(doc);
    if (doc.balances !== null) {
      const paid = (doc.bets ?? []).filter((bet) => bet.paid !== false).map((bet) => bet.amount);
      checkZeroSum([...doc.balances.values(), doc.pot ?? 0, ...paid]);
    }
    checkNote(doc, doc.session);
    return heads.size ? { newestVersion: doc.version, headAt: (version) => heads.get(version) } : null;
  },

  group(doc, givenKey) {
    const provenSessions = new Map();
    for (const summary of doc.sessions) {
      summary.earlier_keys = doc.earlier_keys;
      const root = signedRoot(summary, summary.session, signingKey(summary, givenKey));
      checkCosignatures(summary, summary.version, root);
      const head = { hash: summary.hash, root };
      provenSessions.set(summary.session, { newestVersion: summary.version,
        headAt: (version) => (version === summary.version ? head : undefined) });
      if (doc.key !== null && doc.key !== summary.key) throw new InvalidNote('other_key');
    }
    if (doc.member !== null) checkRunningBalance(doc);
    checkZeroSum([...doc.balances.values(), doc.others, doc.on_tables]);
    if ((doc.signature !== null || doc.key !== null) && !isKeyEndorsed(givenKey, doc))
      throw new InvalidNote('other_key');
    checkNote(doc, doc.group);
    return provenSessions;
  },

  bare() {
    throw new InvalidNote('unsigned');
  },

  names: checkNames,

  denial: checkDenial,
};

// Adds the changes of the lines to the opening balance, line by line, up to the closing balance.
function checkRunningBalance(doc) {
  let balance = BigInt(doc.opening);
  for (const line of doc.lines) {
    balance += BigInt(line.change ?? 0);
    if (line.change === null || line.balance === null || balance !== BigInt(line.balance))
      throw new InvalidNote('sum_wrong');
  }
  if (balance !== BigInt(doc.closing)) throw new InvalidNote('sum_wrong');
}

// Throws InvalidNote unless the amounts of all accounts, which only move between them, add up to zero.
function checkZeroSum(amounts) {
  if (amounts.reduce((sum, amount) => sum + BigInt(amount), 0n)) throw new InvalidNote('sum_wrong');
}

// Checks the signed note over the digest of the whole statement; statements of version 0.1 have none.
function checkNote(doc, id) {
  if (doc.signature === null) return;
  const text = `vola-statement/${id}\n${doc.digest}\n`;
  if (doc.key === null || !isSigned(doc.signature, text, id, doc.key))
    throw new InvalidNote('statement_wrong');
}

// Throws InvalidNote unless the earlier document is a beginning of this history.
function compareDocuments(contents, proven, old) {
  if (contents.kind === 'group') {
    const summary = contents.sessions.findLast((session) => session.session === old.session);
    if (!summary) throw new InvalidNote('other_session');
    compareDocuments(summary, proven.get(summary.session), old);
    return;
  }
  if (!proven) throw new InvalidNote('unsigned');
  if (old.session && old.session !== contents.session) throw new InvalidNote('other_session');
  const oldKey = old.key ?? contents.key;
  if (!isKeyEndorsed(oldKey, contents)) throw new InvalidNote('other_key');
  const claims = [old, ...(old.head ? [old.head] : []), ...(old.receipts ?? [])].sort((claim, nextClaim) =>
    claim.version - nextClaim.version);
  for (const claim of claims) {
    const { version } = claim;
    const expected = (claim.checkpoint ?? null) === null ? null
      : checkEarlier(() => signedRoot(claim, contents.session, oldKey));
    if (version > proven.newestVersion) throw new InvalidNote('tail_missing', version);
    const current = proven.headAt(version);
    if (current) {
      if (current.hash !== claim.hash || (expected && !equalBytes(expected, current.root)))
        throw new InvalidNote('rewritten', version);
    } else if (claim === claims.at(-1)) {
      throw new InvalidNote('not_shown', version);
    }
  }
  if (old.kind === 'receipt') checkEarlier(() => CHECKS.receipt(old, null));
}

// The result of a check of the earlier document.
function checkEarlier(check) {
  try {
    return check();
  } catch (error) {
    throw error instanceof InvalidNote ? new InvalidNote('earlier_wrong') : error;
  }
}

function signingKey(doc, givenKey) {
  if (doc.key === null || doc.checkpoint === null) throw new InvalidNote('unsigned');
  if (!isKeyEndorsed(givenKey, doc)) throw new InvalidNote('other_key');
  return doc.key;
}
