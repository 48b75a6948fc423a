// Bytes and how they are written: hexadecimal, base64, UTF-8, whole numbers.

const SIGNS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

export const utf8 = (text) => new TextEncoder().encode(text);

export const same = (one, other) => one.length === other.length && one.every((byte, i) => byte === other[i]);

export function joined(...parts) {
  const made = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    made.set(part, at);
    at += part.length;
  }
  return made;
}

// In base64, in the one way to write it.
export const base64 = (bytes) => btoa(String.fromCharCode(...bytes));

// A whole number as so many bytes, the largest first.
export function big(number, size) {
  const made = new Uint8Array(size);
  let rest = BigInt(number);
  for (let i = size - 1; i >= 0; i -= 1, rest >>= 8n) made[i] = Number(rest & 255n);
  return made;
}

// A whole number from bytes, the smallest first.
export const little = (bytes) => BigInt(`0x${hex(Uint8Array.from(bytes).reverse()) || '0'}`);

// Its bytes; none when it is not the one way to write them.
export function unbase64(text) {
  const plain = text.replace(/=+$/, '');
  const rest = plain.length % 4;
  if (!plain || rest === 1 || text.length !== Math.ceil(plain.length / 4) * 4) return new Uint8Array();
  const made = [];
  let [held, bits] = [0, 0];
  for (const sign of plain) {
    held = (held << 6) | SIGNS.indexOf(sign);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      made.push((held >> bits) & 255);
      held &= (1 << bits) - 1;
    }
  }
  return held ? new Uint8Array() : Uint8Array.from(made);
}
