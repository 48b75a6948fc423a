// The hash of an event, and the Merkle tree over these hashes (RFC 6962, RFC 9162 §2.1).

import { bigEndian, equalBytes, fromHex, joinBytes, utf8 } from './bytes.js';
import { sha256 } from './sha2.js';

const LEAF_PREFIX = Uint8Array.of(0);
const NODE_PREFIX = Uint8Array.of(1);

export function hashEvent(session, event, previousHash) {
  const fields = [
    utf8('vola event 1'),
    fromHex(session.replaceAll('-', '')),
    bigEndian(event.version, 8),
    utf8(event.type),
    bigEndian(event.schema, 4),
    bigEndian(event.at, 8),
    utf8(event.by),
    sha256(utf8(event.data)),
    previousHash,
  ];
  return hashFields(fields);
}

// Each field is preceded by its length, so different fields never give the same bytes.
export const hashFields = (fields) =>
  sha256(joinBytes(...fields.flatMap((field) => [bigEndian(field.length, 4), field])));

export const leafHash = (data) => sha256(joinBytes(LEAF_PREFIX, data));

const nodeHash = (leftHash, rightHash) => sha256(joinBytes(NODE_PREFIX, leftHash, rightHash));

// `leaves`: at least one.
export function treeRoot(leaves) {
  const peaks = []; // full subtrees, the largest first
  leaves.forEach((ownLeaf, i) => {
    let top = ownLeaf;
    for (let count = i + 1; count % 2 === 0; count /= 2) top = nodeHash(peaks.pop(), top);
    peaks.push(top);
  });
  return peaks.reduceRight((top, peak) => nodeHash(peak, top));
}

// RFC 9162 §2.1.3.2
export function isIncluded(ownLeaf, index, size, path, top) {
  let lastIndex = size - 1;
  if (index > lastIndex) return false;
  let [hash, position] = [ownLeaf, index];
  for (const step of path) {
    if (lastIndex === 0) return false;
    if (position & 1 || position === lastIndex) {
      hash = nodeHash(step, hash);
      while (position && !(position & 1)) [position, lastIndex] = [position >>> 1, lastIndex >>> 1];
    } else {
      hash = nodeHash(hash, step);
    }
    [position, lastIndex] = [position >>> 1, lastIndex >>> 1];
  }
  return lastIndex === 0 && equalBytes(hash, top);
}

// RFC 9162 §2.1.4.2
export function isConsistent(firstSize, secondSize, proofPath, firstRoot, secondRoot) {
  if (firstSize > secondSize) return false;
  if (firstSize === secondSize) return proofPath.length === 0 && equalBytes(firstRoot, secondRoot);
  const path = firstSize & (firstSize - 1) ? proofPath : [firstRoot, ...proofPath];
  if (!path.length) return false;
  let [position, lastIndex] = [firstSize - 1, secondSize - 1];
  while (position & 1) [position, lastIndex] = [position >>> 1, lastIndex >>> 1];
  let [older, newer] = [path[0], path[0]];
  for (const step of path.slice(1)) {
    if (lastIndex === 0) return false;
    if (position & 1 || position === lastIndex) {
      [older, newer] = [nodeHash(step, older), nodeHash(step, newer)];
      while (position && !(position & 1)) [position, lastIndex] = [position >>> 1, lastIndex >>> 1];
    } else {
      newer = nodeHash(newer, step);
    }
    [position, lastIndex] = [position >>> 1, lastIndex >>> 1];
  }
  return lastIndex === 0 && equalBytes(older, firstRoot) && equalBytes(newer, secondRoot);
}
