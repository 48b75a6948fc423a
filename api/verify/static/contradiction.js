// The file in which a phone or a witness keeps two documents that contradict each other.

import { utf8 } from './bytes.js';
import { isKeptRecord } from './document.js';
import { Unreadable, parseJson } from './strict_json.js';

// The document that was received and the one that was kept, as bytes; null for any other file.
export function splitContradiction(bytes) {
  try {
    const doc = parseJson(bytes);
    const isContradiction = doc instanceof Map && doc.get('format') === 'vola contradiction 1';
    if (!isContradiction || !doc.get('received').has('hash')) return null;
    const keptDocument = doc.get('kept').get('document') ?? keptClaim(doc);
    return [doc.get('received'), keptDocument].map((document) => utf8(JSON.stringify(plain(document))));
  } catch (error) {
    if (error instanceof Unreadable || error instanceof TypeError) return null;
    throw error;
  }
}

// The kept record as one claim, which is signed if a checkpoint was kept.
function keptClaim(doc) {
  const record = doc.get('kept');
  if (!isKeptRecord(record) || !doc.has('session')) throw new Unreadable();
  const receipts = record.get('receipts') ?? [];
  const newest = record.get('head') ?? receipts.reduce((receipt, next) =>
    (next.get('version') > receipt.get('version') ? next : receipt));
  const claim = ['version', 'hash', 'checkpoint'].map((name) => [name, newest.get(name) ?? null]);
  return new Map([['key', record.get('key') ?? null], ...claim, ['receipts', receipts],
    ['session', doc.get('session')]]);
}

const plain = (value) => (value instanceof Map
  ? Object.fromEntries([...value].map(([name, member]) => [name, plain(member)]))
  : Array.isArray(value) ? value.map(plain) : value);
