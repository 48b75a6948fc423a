// Whether what somebody took home still holds: what verify.py does, in the same order.

import { hex, same, unhex } from './bytes.js';
import { read } from './document.js';
import { Unreadable } from './json.js';
import { checkLabels } from './labels.js';
import { Refused, signedRoot } from './note.js';
import { grew, included, leaf, root, seal } from './tree.js';

// What is to be said of these bytes: [exit code, code, version or null]; `earlier` may be null, and
// `key` (hexadecimal). Every refusal is the first that applies.
export function judge(document, earlier = null, key = null) {
  if (key !== null && !/^[0-9a-fA-F]{64}$/.test(key)) return [2, 'key_unreadable', null];
  const found = readable(document);
  if (!found) return [2, 'unreadable', null];
  const old = earlier === null ? null : readable(earlier);
  if (earlier !== null && !old) return [2, 'earlier_unreadable', null];
  try {
    const known = CHECKS[found.kind](found, key === null ? null : key.toLowerCase());
    if (old) compare(found, known, old);
  } catch (error) {
    if (error instanceof Refused) return [1, error.code, error.version];
    throw error;
  }
  return [0, found.kind, found.version];
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
    const key = keyOf(doc, given);
    const stood = { hash: doc.hash, root: signedRoot(doc, doc.session, key) };
    if (doc.player !== null) {
      let balance = BigInt(doc.opening);
      for (const line of doc.lines) {
        balance += BigInt(line.change ?? 0);
        if (line.change === null || line.balance === null || balance !== BigInt(line.balance)) throw new Refused('sum_wrong');
      }
      if (balance !== BigInt(doc.closing)) throw new Refused('sum_wrong');
    }
    if (doc.balances !== null) {
      const paid = (doc.bets ?? []).filter((bet) => bet.paid !== false).map((bet) => bet.amount);
      const all = [...doc.balances, doc.pot ?? 0, ...paid];
      if (all.reduce((sum, amount) => sum + BigInt(amount), 0n)) throw new Refused('sum_wrong');
    }
    return { end: doc.version, at: (version) => (version === doc.version ? stood : undefined) };
  },

  bare() {
    throw new Refused('unsigned');
  },
};

// Refuse unless what was kept earlier is how this begins.
function compare(found, known, old) {
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

function iso(at) {
  const micro = at % 1000;
  const moment = new Date((at - micro) / 1000).toISOString();
  return moment.replace('Z', `${String(micro).padStart(3, '0')}Z`);
}
