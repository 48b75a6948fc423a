// Strict JSON: UTF-8, whole numbers that every reader counts exactly, no name twice. Objects are
// Maps, so that no name means anything to the browser. Throws Unreadable for anything else.

export class Unreadable extends Error {}

const DEEPEST = 32;
const ESCAPES = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', '/': '/' };

export function parse(bytes) {
  let text;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Unreadable();
  }
  const [value, end] = read(text, blank(text, 0), 1);
  if (blank(text, end) !== text.length) throw new Unreadable();
  return value;
}

function blank(text, from) {
  let at = from;
  while (' \t\n\r'.includes(text.charAt(at)) && at < text.length) at += 1;
  return at;
}

// The value that begins here, and where it ends.
function read(text, at, depth) {
  const sign = text.charAt(at);
  if (sign === '{' || sign === '[') {
    if (depth > DEEPEST) throw new Unreadable();
    return sign === '{' ? object(text, at + 1, depth) : list(text, at + 1, depth);
  }
  if (sign === '"') return string(text, at + 1);
  for (const [word, value] of [['null', null], ['true', true], ['false', false]]) {
    if (text.startsWith(word, at)) return [value, at + word.length];
  }
  const found = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
  found.lastIndex = at;
  const [number] = found.exec(text) ?? [''];
  if (!/^-?[0-9]{1,16}$/.test(number) || !Number.isSafeInteger(Number(number))) throw new Unreadable();
  return [Number(number) + 0, at + number.length];
}

function object(text, from, depth) {
  const made = new Map();
  let at = blank(text, from);
  if (text.charAt(at) === '}') return [made, at + 1];
  for (;;) {
    if (text.charAt(at) !== '"') throw new Unreadable();
    const [name, behind] = string(text, at + 1);
    const colon = blank(text, behind);
    if (text.charAt(colon) !== ':' || made.has(name)) throw new Unreadable();
    const [value, end] = read(text, blank(text, colon + 1), depth + 1);
    made.set(name, value);
    at = blank(text, end);
    if (text.charAt(at) === '}') return [made, at + 1];
    if (text.charAt(at) !== ',') throw new Unreadable();
    at = blank(text, at + 1);
  }
}

function list(text, from, depth) {
  const made = [];
  let at = blank(text, from);
  if (text.charAt(at) === ']') return [made, at + 1];
  for (;;) {
    const [value, end] = read(text, at, depth + 1);
    made.push(value);
    at = blank(text, end);
    if (text.charAt(at) === ']') return [made, at + 1];
    if (text.charAt(at) !== ',') throw new Unreadable();
    at = blank(text, at + 1);
  }
}

function string(text, from) {
  let [made, at] = ['', from];
  for (;;) {
    const plain = /[^"\\\u0000-\u001f]*/y;
    plain.lastIndex = at;
    const [run] = plain.exec(text);
    made += run;
    at += run.length;
    if (text.charAt(at) === '"') return [made, at + 1];
    if (text.charAt(at) !== '\\') throw new Unreadable();
    const sign = text.charAt(at + 1);
    if (sign === 'u') {
      const digits = text.slice(at + 2, at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new Unreadable();
      made += String.fromCharCode(parseInt(digits, 16));
      at += 6;
    } else {
      if (!(sign in ESCAPES) || !sign) throw new Unreadable();
      made += ESCAPES[sign];
      at += 2;
    }
  }
}
