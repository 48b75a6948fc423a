// Canonical JSON (RFC 8785) and its digest, which the note of a statement signs.

import { toBase64, utf8 } from './bytes.js';
import { sha256 } from './sha2.js';
import { Unreadable } from './strict_json.js';

export const digestOf = (value) => toBase64(sha256(utf8(canonical(value))));

function canonical(value) {
  if (value instanceof Map) {
    const names = [...value.keys()].sort(); // by UTF-16 code units, as the RFC says
    return `{${names.map((name) => `${canonical(name)}:${canonical(value.get(name))}`).join(',')}}`;
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'string' && /[\ud800-\udfff]/u.test(value)) throw new Unreadable(); // a lone surrogate
  return JSON.stringify(value);
}
