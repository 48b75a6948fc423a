// Bytes, and their conversion from and to hexadecimal, base64, UTF-8 and whole numbers.

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

export const utf8 = (text) => new TextEncoder().encode(text);

export const equalBytes = (bytes, otherBytes) => bytes.length === otherBytes.length
  && bytes.every((byte, i) => byte === otherBytes[i]);

export function joinBytes(...parts) {
  const result = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    result.set(part, offset);
    offset += part.length;
  }
  return result;
}

// Canonical base64, with padding.
export const toBase64 = (bytes) => btoa(String.fromCharCode(...bytes));

// A whole number as `size` bytes, the most significant first.
export function bigEndian(number, size) {
  const result = new Uint8Array(size);
  let rest = BigInt(number);
  for (let i = size - 1; i >= 0; i -= 1, rest >>= 8n) result[i] = Number(rest & 255n);
  return result;
}

// A whole number from bytes, the least significant first.
export const littleEndian = (bytes) => BigInt(`0x${toHex(Uint8Array.from(bytes).reverse()) || '0'}`);

// The bytes of canonical base64; empty for any other text.
export function fromBase64(text) {
  const plain = text.replace(/=+$/, '');
  const rest = plain.length % 4;
  const isWritten = /^[A-Za-z0-9+/]+$/.test(plain) && text.length === Math.ceil(plain.length / 4) * 4;
  if (!isWritten || rest === 1) return new Uint8Array();
  const result = [];
  let [pending, bits] = [0, 0];
  for (const character of plain) {
    pending = (pending << 6) | ALPHABET.indexOf(character);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      result.push((pending >> bits) & 255);
      pending &= (1 << bits) - 1;
    }
  }
  return pending ? new Uint8Array() : Uint8Array.from(result);
}
