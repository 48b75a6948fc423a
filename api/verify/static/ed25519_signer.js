// Ed25519 signatures (RFC 8032 §5.1.5, §5.1.6), because browsers have no crypto.subtle over plain http. The
// time of a signature depends on the seed; only a program on the same device could measure it.

import { joinBytes, littleEndian } from './bytes.js';
import { BASE, ORDER, bytes32, multiplyPoint, packPoint } from './ed25519.js';
import { sha512 } from './sha2.js';

// Derives the secret scalar and the prefix from a seed of 32 bytes.
function expandSeed(seed) {
  const digest = sha512(seed);
  const low = digest.slice(0, 32);
  low[0] &= 248;
  low[31] = (low[31] & 127) | 64;
  return { scalar: littleEndian(low), prefix: digest.slice(32) };
}

const hashNumber = (...parts) => littleEndian(sha512(joinBytes(...parts))) % ORDER;

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
