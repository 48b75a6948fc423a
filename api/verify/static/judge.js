// Whether what somebody took home still holds: what verify.py does, in the same order.

import { hex, same, unhex } from './bytes.js';
import { read } from './document.js';
import { Unreadable } from './json.js';
import { checkLabels } from './labels.js';
import { isSigned, Refused, signedRoot } from './note.js';
import { remake } from './remake.js';
import { iso } from './times.js';
import { grew, included, leaf, root, seal } from './tree.js';

// What is to be said of these bytes: [exit code, code, version or null]; `earlier` and `exported` may
// be null, and `key` (hexadecimal). Every refusal is the first that applies.
export function judge(document, earlier = null, key = null, exported = null) {
  if (key !== null && !/^[0-9a-fA-F]{64}$/.test(key)) return [2, 'key_unreadable', null];
  const found = readable(document);
  if (!found) return [2, 'unreadable', null];
  const old = earlier === null ? null : readable(earlier);
  if (earlier !== null && (!old || old.kind === 'group')) return [2, 'earlier_unreadable', null];
  const events = exported === null ? null : readable(exported);
  if (exported !== null && events?.kind !== 'export') return [2, 'export_unreadable', null];
  if (events && found.kind !== 'statement') return [2, 'no_statement', null];
  const given = key === null ? null : key.toLowerCase();
  try {
    const known = CHECKS[found.kind](found, given);
    if (events) remake(found, events, given, CHECKS.export);
    if (old) compare(found, known, old);
  } catch (error) {
    if (error instanceof Refused) return [error.code === 'event_unknown' ? 2 : 1, error.code, error.version];
    throw error;
  }
  return verdict(found, events);
}

// Of what holds: what is signed, and whether there was an export to make it from.
function verdict({ kind, version, signature }, events) {
  if ((kind === 'statement' || kind === 'group') && signature === null) return [3, events ? 'figures' : 'adds_up', version];
  return [0, events ? 'remade' : kind, version];
}

function readable(bytes) {
  try {
    return read(bytes);
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

// What is known after a check: how far it goes, and the seal and root of a version that it tells of.

const CHECKS = {
  export(doc, given) {
    const key = keyOf(doc, given);
    const leaves = [];
    let before = new Uint8Array(32);
    doc.events.forEach((event, i) => {
      if (event.version !== i + 1) throw new Refused('hole', i + 1);
      before = seal(doc.session, event, before);
      if (hex(before) !== event.hash) throw new Refused('seal_broken', i + 1);
      leaves.push(leaf(before));
    });
    const last = doc.events.at(-1);
    if (!last || last.version !== doc.version || last.hash !== doc.hash || iso(last.at) !== doc.at) {
      throw new Refused('head_wrong', doc.version);
    }
    if (!same(signedRoot(doc, doc.session, key), root(leaves))) throw new Refused('root_wrong', doc.version);
    checkLabels(doc, key);
    const at = (version) => ({ hash: doc.events[version - 1].hash, root: root(leaves.slice(0, version)) });
    return { end: doc.version, at };
  },

  receipt(doc, given) {
    const key = keyOf(doc, given);
    const [first, second] = [doc.version, doc.head.version];
    const [ownRoot, headRoot] = [doc, doc.head].map((claim) => signedRoot(claim, doc.session, key));
    if (!included(leaf(unhex(doc.hash)), first - 1, second, doc.inclusion.map(unhex), headRoot)) {
      throw new Refused('inclusion_wrong', first);
    }
    if (!grew(first, second, doc.consistency.map(unhex), ownRoot, headRoot)) {
      throw new Refused('consistency_wrong', first);
    }
    const stood = new Map([[first, { hash: doc.hash, root: ownRoot }], [second, { hash: doc.head.hash, root: headRoot }]]);
    return { end: second, at: (version) => stood.get(version) };
  },

  statement(doc, given) {
    const stood = new Map();
    if (doc.checkpoint !== null || doc.signature !== null) {
      stood.set(doc.version, { hash: doc.hash, root: signedRoot(doc, doc.session, keyOf(doc, given)) });
    } else if (doc.key !== null && given !== null && given !== doc.key) {
      throw new Refused('other_key');
    }
    if (doc.player !== null) checkRunning(doc);
    if (doc.balances !== null) {
      const paid = (doc.bets ?? []).filter((bet) => bet.paid !== false).map((bet) => bet.amount);
      checkNothing([...doc.balances.values(), doc.pot ?? 0, ...paid]);
    }
    checkNote(doc, doc.session);
    return stood.size ? { end: doc.version, at: (version) => stood.get(version) } : null;
  },

  group(doc, given) {
    const known = new Map();
    for (const one of doc.evenings) {
      const stood = { hash: one.hash, root: signedRoot(one, one.session, keyOf(one, given)) };
      known.set(one.session, { end: one.version, at: (version) => (version === one.version ? stood : undefined) });
      if (doc.key !== null && doc.key !== one.key) throw new Refused('other_key');
    }
    if (doc.member !== null) checkRunning(doc);
    checkNothing([...doc.balances.values(), doc.others, doc.on_tables]);
    if (doc.signature !== null && given !== null && given !== doc.key) throw new Refused('other_key');
    checkNote(doc, doc.circle);
    return known;
  },

  bare() {
    throw new Refused('unsigned');
  },
};

// From opening to closing, line by line.
function checkRunning(doc) {
  let balance = BigInt(doc.opening);
  for (const line of doc.lines) {
    balance += BigInt(line.change ?? 0);
    if (line.change === null || line.balance === null || balance !== BigInt(line.balance)) throw new Refused('sum_wrong');
  }
  if (balance !== BigInt(doc.closing)) throw new Refused('sum_wrong');
}

function checkNothing(amounts) {
  if (amounts.reduce((sum, amount) => sum + BigInt(amount), 0n)) throw new Refused('sum_wrong');
}

// The note over the whole statement, which says its digest; one from version 0.1 has none.
function checkNote(doc, of) {
  if (doc.signature === null) return;
  const text = `vola-statement/${of}\n${doc.digest}\n`;
  if (doc.key === null || !isSigned(doc.signature, text, of, doc.key)) throw new Refused('statement_wrong');
}

// Refuse unless what was kept earlier is how this begins.
function compare(found, known, old) {
  if (found.kind === 'group') {
    const one = found.evenings.findLast((evening) => evening.session === old.session);
    if (!one) throw new Refused('other_session');
    compare(one, known.get(one.session), old);
    return;
  }
  if (!known) throw new Refused('unsigned');
  if (old.session && old.session !== found.session) throw new Refused('other_session');
  if (old.key && old.key !== found.key) throw new Refused('other_key');
  const claims = [old, ...(old.head ? [old.head] : [])].sort((one, other) => one.version - other.version);
  for (const claim of claims) {
    const { version } = claim;
    const stood = claim.checkpoint === null ? null : earlierRoot(claim, found);
    if (version > known.end) throw new Refused('tail_missing', version);
    const now = known.at(version);
    if (now) {
      if (now.hash !== claim.hash || (stood && !same(stood, now.root))) throw new Refused('rewritten', version);
    } else if (claim === claims.at(-1)) {
      throw new Refused('not_shown', version);
    }
  }
}

function earlierRoot(claim, found) {
  try {
    return signedRoot(claim, found.session, found.key);
  } catch (error) {
    throw error instanceof Refused ? new Refused('earlier_wrong') : error;
  }
}

function keyOf(doc, given) {
  if (doc.key === null || doc.checkpoint === null) throw new Refused('unsigned');
  if (given !== null && given !== doc.key) throw new Refused('other_key');
  return doc.key;
}
