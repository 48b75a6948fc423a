// The keys of a book: after a rotation each earlier key has signed a note that names the next; and the four
// words by which people compare keys.

import { fromHex, toBase64 } from './bytes.js';
import { sha256 } from './sha2.js';
import { isSigned } from './signed_note.js';

// Whether the document's key is the expected one, or one that it leads to. Without an expected key any does.
export function isKeyEndorsed(expected, { key, earlier_keys: earlierKeys }) {
  if (expected === null) return true;
  const keys = [...(earlierKeys ?? []).map((earlier) => earlier.key), key];
  const first = key === null ? -1 : keys.lastIndexOf(expected);
  return first >= 0 && (earlierKeys ?? []).slice(first).every((earlier, index) =>
    isSigned(earlier.note, endorsement(keys[first + index + 1]), 'key', earlier.key));
}

const endorsement = (key) => `vola-key\n${toBase64(fromHex(key))}\n`;

const [CONSONANTS, VOWELS] = ['bdfghjklmnprstvz', 'aiou'];

// Four words for the first 64 bits of the key's SHA-256, as proquints (D. S. Wilkerson, arXiv 0901.4016).
export function keyWords(key) {
  const digest = sha256(fromHex(key));
  return [0, 2, 4, 6].map((i) => wordOf(digest[i] * 256 + digest[i + 1])).join(' ');
}

const wordOf = (bits) => CONSONANTS[bits >> 12] + VOWELS[(bits >> 10) & 3] + CONSONANTS[(bits >> 6) & 15]
  + VOWELS[(bits >> 4) & 3] + CONSONANTS[bits & 15];
