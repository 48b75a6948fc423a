// Ed25519 (RFC 8032 §5.1), verification only: nothing here is secret, so it may take its time.

import { joined, little, same } from './bytes.js';
import { sha512 } from './sha.js';

const P = 2n ** 255n - 19n;
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const mod = (a, m = P) => ((a % m) + m) % m;

function power(base, exponent) {
  let [made, square] = [1n, mod(base)];
  for (let rest = exponent; rest; rest >>= 1n, square = (square * square) % P) if (rest & 1n) made = (made * square) % P;
  return made;
}

const inverse = (a) => power(a, P - 2n);
const D = mod(-121665n * inverse(121666n));
const TURN = power(2n, (P - 1n) / 4n); // a square root of -1
const BASE = unpacked(bytes32(mod(4n * inverse(5n))));

function bytes32(number) {
  return Uint8Array.from({ length: 32 }, (_, i) => Number((number >> BigInt(8 * i)) & 255n));
}

function unpacked(raw) {
  const number = little(raw);
  const [sign, y] = [number >> 255n, number & (2n ** 255n - 1n)];
  if (y >= P) return null;
  const square = mod((y * y - 1n) * inverse(D * y * y + 1n));
  let x = power(square, (P + 3n) / 8n);
  if (mod(x * x - square)) x = (x * TURN) % P;
  if (mod(x * x - square) || (x === 0n && sign)) return null;
  if ((x & 1n) !== sign) x = P - x;
  return [x, y, 1n, (x * y) % P];
}

function packed([x, y, z]) {
  const back = inverse(z);
  return bytes32(((y * back) % P) | (((x * back) % P & 1n) << 255n));
}

function add([x1, y1, z1, t1], [x2, y2, z2, t2]) {
  const [a, b] = [mod((y1 - x1) * (y2 - x2)), ((y1 + x1) * (y2 + x2)) % P];
  const [c, d] = [(((2n * t1 * t2) % P) * D) % P, (2n * z1 * z2) % P];
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return [mod(e * f), (g * h) % P, mod(f * g), mod(e * h)];
}

function times(number, point) {
  let [made, doubled] = [[0n, 1n, 1n, 0n], point];
  for (let rest = number; rest; rest >>= 1n, doubled = add(doubled, doubled)) if (rest & 1n) made = add(made, doubled);
  return made;
}

// Whether it is signed; strictly: every number is written in its one way.
export function signed(key, message, signature) {
  const point = unpacked(key);
  const [start, s] = [signature.slice(0, 32), little(signature.slice(32))];
  if (!point || signature.length !== 64 || s >= ORDER) return false;
  const k = little(sha512(joined(start, key, message))) % ORDER;
  const [x, y, z, t] = point;
  return same(packed(add(times(s, BASE), times(k, [P - x, y, z, P - t]))), start);
}
