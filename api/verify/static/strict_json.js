// A parser of strict JSON: UTF-8, with or without a byte order mark, only whole numbers that a double holds
// exactly, no duplicate names. Objects become Maps, so a name such as `__proto__` has no effect. Throws
// Unreadable for anything else. Also the digest of a value, over its canonical JSON.

import { toBase64, utf8 } from './bytes.js';
import { sha256 } from './sha2.js';

export class Unreadable extends Error {}

const MAX_DEPTH = 32;
const ESCAPES = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', '/': '/' };

export function parseJson(bytes) {
  let text;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Unreadable();
  }
  const [value, end] = readValue(text, skipSpace(text, 0), 1);
  if (skipSpace(text, end) !== text.length) throw new Unreadable();
  return value;
}

// Whether the bytes begin a JSON object and end before it does.
export function isCutOff(bytes) {
  const [quote, backslash, opening, closing] = ['"', '\\', '{[', '}]'].map(utf8);
  let [depth, isInString] = [0, false];
  for (let i = 0; i < bytes.length; i += 1) {
    if (bytes[i] === quote[0]) isInString = !isInString;
    else if (isInString) i += bytes[i] === backslash[0] ? 1 : 0;
    else if (opening.includes(bytes[i])) depth += 1;
    else if (closing.includes(bytes[i])) depth -= 1;
  }
  return bytes[0] === opening[0] && (isInString || depth > 0);
}

function skipSpace(text, start) {
  let position = start;
  while (' \t\n\r'.includes(text.charAt(position)) && position < text.length) position += 1;
  return position;
}

// Returns [value, end] for the value that begins at `start`.
function readValue(text, start, depth) {
  const character = text.charAt(start);
  if (character === '{' || character === '[') {
    if (depth > MAX_DEPTH) throw new Unreadable();
    return character === '{' ? readObject(text, start + 1, depth) : readList(text, start + 1, depth);
  }
  if (character === '"') return readString(text, start + 1);
  for (const [word, value] of [['null', null], ['true', true], ['false', false]]) {
    if (text.startsWith(word, start)) return [value, start + word.length];
  }
  const numeral = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
  numeral.lastIndex = start;
  const [number] = numeral.exec(text) ?? [''];
  if (!/^-?[0-9]{1,16}$/.test(number) || !Number.isSafeInteger(Number(number))) throw new Unreadable();
  return [Number(number) + 0, start + number.length];
}

function readObject(text, start, depth) {
  const pairs = new Map();
  let position = skipSpace(text, start);
  if (text.charAt(position) === '}') return [pairs, position + 1];
  for (;;) {
    if (text.charAt(position) !== '"') throw new Unreadable();
    const [name, afterName] = readString(text, position + 1);
    const colon = skipSpace(text, afterName);
    if (text.charAt(colon) !== ':' || pairs.has(name)) throw new Unreadable();
    const [value, end] = readValue(text, skipSpace(text, colon + 1), depth + 1);
    pairs.set(name, value);
    position = skipSpace(text, end);
    if (text.charAt(position) === '}') return [pairs, position + 1];
    if (text.charAt(position) !== ',') throw new Unreadable();
    position = skipSpace(text, position + 1);
  }
}

function readList(text, start, depth) {
  const items = [];
  let position = skipSpace(text, start);
  if (text.charAt(position) === ']') return [items, position + 1];
  for (;;) {
    const [value, end] = readValue(text, position, depth + 1);
    items.push(value);
    position = skipSpace(text, end);
    if (text.charAt(position) === ']') return [items, position + 1];
    if (text.charAt(position) !== ',') throw new Unreadable();
    position = skipSpace(text, position + 1);
  }
}

function readString(text, start) {
  let [decoded, position] = ['', start];
  for (;;) {
    const plain = /[^"\\\u0000-\u001f]*/y;
    plain.lastIndex = position;
    const [run] = plain.exec(text);
    decoded += run;
    position += run.length;
    if (text.charAt(position) === '"') return [decoded, position + 1];
    if (text.charAt(position) !== '\\') throw new Unreadable();
    const character = text.charAt(position + 1);
    if (character === 'u') {
      const digits = text.slice(position + 2, position + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new Unreadable();
      decoded += String.fromCharCode(parseInt(digits, 16));
      position += 6;
    } else {
      if (!(character in ESCAPES) || !character) throw new Unreadable();
      decoded += ESCAPES[character];
      position += 2;
    }
  }
}

// The digest of the canonical JSON (RFC 8785), which the note of a statement signs.
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
