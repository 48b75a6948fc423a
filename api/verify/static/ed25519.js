// Ed25519 (RFC 8032 §5.1): verification and signatures, because browsers have no crypto.subtle over plain
// http. The time of a signature depends on the seed; only a program on the same device could measure it.

import { equalBytes, joinBytes, littleEndian } from './bytes.js';
import { sha512 } from './sha2.js';

const P = 2n ** 255n - 19n;
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const modulo = (a, m = P) => ((a % m) + m) % m;

function power(base, exponent) {
  let [result, square] = [1n, modulo(base)];
  for (let rest = exponent; rest; rest >>= 1n, square = (square * square) % P) if (rest & 1n)
    result = (result * square) % P;
  return result;
}

const inverse = (a) => power(a, P - 2n);
const D = modulo(-121665n * inverse(121666n));
const SQRT_MINUS_ONE = power(2n, (P - 1n) / 4n); // a square root of -1
const BASE = unpackPoint(bytes32(modulo(4n * inverse(5n))));

function bytes32(number) {
  return Uint8Array.from({ length: 32 }, (_, i) => Number((number >> BigInt(8 * i)) & 255n));
}

function unpackPoint(raw) {
  const number = littleEndian(raw);
  const [sign, y] = [number >> 255n, number & (2n ** 255n - 1n)];
  if (y >= P) return null;
  const square = modulo((y * y - 1n) * inverse(D * y * y + 1n));
  let x = power(square, (P + 3n) / 8n);
  if (modulo(x * x - square)) x = (x * SQRT_MINUS_ONE) % P;
  if (modulo(x * x - square) || (x === 0n && sign)) return null;
  if ((x & 1n) !== sign) x = P - x;
  return [x, y, 1n, (x * y) % P];
}

function packPoint([x, y, z]) {
  const zInverse = inverse(z);
  return bytes32(((y * zInverse) % P) | (((x * zInverse) % P & 1n) << 255n));
}

function addPoints([x1, y1, z1, t1], [x2, y2, z2, t2]) {
  const [a, b] = [modulo((y1 - x1) * (y2 - x2)), ((y1 + x1) * (y2 + x2)) % P];
  const [c, d] = [(((2n * t1 * t2) % P) * D) % P, (2n * z1 * z2) % P];
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return [modulo(e * f), (g * h) % P, modulo(f * g), modulo(e * h)];
}

function multiplyPoint(number, point) {
  let [sum, doubled] = [[0n, 1n, 1n, 0n], point];
  for (let rest = number; rest; rest >>= 1n, doubled = addPoints(doubled, doubled)) if (rest & 1n)
    sum = addPoints(sum, doubled);
  return sum;
}

const hashNumber = (...parts) => littleEndian(sha512(joinBytes(...parts))) % ORDER;

// Whether the signature is valid; only canonical encodings are accepted, and no key of small order, which
// fits signatures of any text.
export function isSignatureValid(key, message, signature) {
  const point = unpackPoint(key);
  const [start, s] = [signature.slice(0, 32), littleEndian(signature.slice(32))];
  if (!point || signature.length !== 64 || s >= ORDER || multiplyPoint(8n, point)[0] === 0n) return false;
  const k = hashNumber(start, key, message);
  const [x, y, z, t] = point;
  return equalBytes(packPoint(addPoints(multiplyPoint(s, BASE), multiplyPoint(k, [P - x, y, z, P - t]))),
    start);
}

// Derives the secret scalar and the prefix from a seed of 32 bytes.
function expandSeed(seed) {
  const digest = sha512(seed);
  const low = digest.slice(0, 32);
  low[0] &= 248;
  low[31] = (low[31] & 127) | 64;
  return { scalar: littleEndian(low), prefix: digest.slice(32) };
}

// The public key of a seed.
export const publicKeyOf = (seed) => packPoint(multiplyPoint(expandSeed(seed).scalar, BASE));

// Signs a message. Deterministic: the same message gets the same signature.
export function signMessage(seed, message) {
  const { scalar, prefix } = expandSeed(seed);
  const key = packPoint(multiplyPoint(scalar, BASE));
  const nonce = hashNumber(prefix, message);
  const start = packPoint(multiplyPoint(nonce, BASE));
  return joinBytes(start, bytes32((nonce + hashNumber(start, key, message) * scalar) % ORDER));
}
