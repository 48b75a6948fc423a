// The file in which a phone or a witness keeps two documents that contradict each other.

import { utf8 } from './bytes.js';
import { Unreadable, parseJson } from './strict_json.js';

// What was received and what had been kept, as bytes; null of every other file.
export function splitContradiction(bytes) {
  try {
    const doc = parseJson(bytes);
    if (!(doc instanceof Map) || doc.get('format') !== 'vola contradiction 1') return null;
    const head = doc.get('kept').get('head');
    const kept = doc.get('kept').get('document')
      ?? new Map([['at', /^time (.*)$/m.exec(head.get('checkpoint'))[1]], ...head]);
    return [doc.get('received'), kept].map((document) => utf8(JSON.stringify(plain(document))));
  } catch (error) {
    if (error instanceof Unreadable || error instanceof TypeError) return null;
    throw error;
  }
}

const plain = (value) => (value instanceof Map
  ? Object.fromEntries([...value].map(([name, member]) => [name, plain(member)]))
  : Array.isArray(value) ? value.map(plain) : value);
