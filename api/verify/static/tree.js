// The seal of an event, and the tree over the seals (RFC 6962, RFC 9162 §2.1).

import { big, joined, same, unhex, utf8 } from './bytes.js';
import { sha256 } from './sha.js';

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

export function seal(session, event, before) {
  const fields = [
    utf8('vola event 1'),
    unhex(session.replaceAll('-', '')),
    big(event.version, 8),
    utf8(event.type),
    big(event.schema, 4),
    big(event.at, 8),
    utf8(event.by),
    sha256(utf8(event.data)),
    before,
  ];
  return sealed(fields);
}

// Every field is preceded by its length, so that no two histories share the bytes.
export const sealed = (fields) => sha256(joined(...fields.flatMap((field) => [big(field.length, 4), field])));

export const leaf = (data) => sha256(joined(LEAF, data));

const node = (left, right) => sha256(joined(NODE, left, right));

// Of one leaf or more.
export function root(leaves) {
  const peaks = []; // full subtrees, the largest first
  leaves.forEach((found, i) => {
    let top = found;
    for (let count = i + 1; count % 2 === 0; count /= 2) top = node(peaks.pop(), top);
    peaks.push(top);
  });
  return peaks.reduceRight((top, peak) => node(peak, top));
}

// RFC 9162 §2.1.3.2
export function included(found, index, size, path, top) {
  let last = size - 1;
  if (index > last) return false;
  let [made, at] = [found, index];
  for (const step of path) {
    if (last === 0) return false;
    if (at & 1 || at === last) {
      made = node(step, made);
      while (at && !(at & 1)) [at, last] = [at >>> 1, last >>> 1];
    } else {
      made = node(made, step);
    }
    [at, last] = [at >>> 1, last >>> 1];
  }
  return last === 0 && same(made, top);
}

// RFC 9162 §2.1.4.2
export function grew(first, second, given, firstRoot, secondRoot) {
  if (first > second) return false;
  if (first === second) return given.length === 0 && same(firstRoot, secondRoot);
  const path = first & (first - 1) ? given : [firstRoot, ...given];
  if (!path.length) return false;
  let [at, last] = [first - 1, second - 1];
  while (at & 1) [at, last] = [at >>> 1, last >>> 1];
  let [older, newer] = [path[0], path[0]];
  for (const step of path.slice(1)) {
    if (last === 0) return false;
    if (at & 1 || at === last) {
      [older, newer] = [node(step, older), node(step, newer)];
      while (at && !(at & 1)) [at, last] = [at >>> 1, last >>> 1];
    } else {
      newer = node(newer, step);
    }
    [at, last] = [at >>> 1, last >>> 1];
  }
  return last === 0 && same(older, firstRoot) && same(newer, secondRoot);
}
