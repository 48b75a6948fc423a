// SHA-256 and SHA-512 (FIPS 180-4), because browsers have no crypto.subtle over plain http.

const primes = (count) => {
  const smallPrimes = [];
  for (let n = 2; smallPrimes.length < count; n += 1) if (smallPrimes.every((p) => n % p))
    smallPrimes.push(n);
  return smallPrimes;
};

// The first 64 fractional bits of the square or cube root of a whole number, computed exactly.
function rootFraction(number, degree) {
  const target = BigInt(number) << BigInt(64 * degree);
  let low = 0n;
  let high = 1n << 72n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** BigInt(degree) <= target) low = middle;
    else high = middle;
  }
  return BigInt.asUintN(64, low);
}

const K = primes(80).map((prime) => rootFraction(prime, 3));
const H = primes(8).map((prime) => rootFraction(prime, 2));
const K256 = Uint32Array.from(K.slice(0, 64), (k) => Number(k >> 32n));
const H256 = Uint32Array.from(H, (h) => Number(h >> 32n));

// The message, a one bit, zeros, and its length in bits at the end of a block.
function padMessage(bytes, block) {
  const end = block / 8;
  const size = Math.ceil((bytes.length + 1 + end) / block) * block;
  const padded = new Uint8Array(size);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  new DataView(padded.buffer).setBigUint64(size - 8, BigInt(bytes.length) * 8n);
  return new DataView(padded.buffer);
}

export function sha256(bytes) {
  const view = padMessage(bytes, 64);
  const state = H256.slice();
  const w = new Uint32Array(64);
  const turn = (x, n) => (x >>> n) | (x << (32 - n));
  for (let start = 0; start < view.byteLength; start += 64) {
    for (let i = 0; i < 16; i += 1) w[i] = view.getUint32(start + 4 * i);
    for (let i = 16; i < 64; i += 1) {
      const [p, q] = [w[i - 15], w[i - 2]];
      w[i] = w[i - 16] + w[i - 7] + (turn(p, 7) ^ turn(p, 18) ^ (p >>> 3)) + (turn(q, 17) ^ turn(q,
        19) ^ (q >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i += 1) {
      const added =
        (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K256[i] + w[i]) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + added) | 0, c, b, a, (added + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((value, i) => { state[i] += value; });
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((value, i) => digest.setUint32(4 * i, value));
  return new Uint8Array(digest.buffer);
}

export function sha512(bytes) {
  const view = padMessage(bytes, 128);
  const state = H.slice();
  const w = Array(80);
  const cut = (x) => BigInt.asUintN(64, x);
  const turn = (x, n) => (x >> n) | cut(x << (64n - n));
  for (let start = 0; start < view.byteLength; start += 128) {
    for (let i = 0; i < 16; i += 1) w[i] = view.getBigUint64(start + 8 * i);
    for (let i = 16; i < 80; i += 1) {
      const [p, q] = [w[i - 15], w[i - 2]];
      w[i] = cut(w[i - 16] + w[i - 7] + (turn(p, 1n) ^ turn(p, 8n) ^ (p >> 7n)) + (turn(q, 19n) ^ turn(q,
        61n) ^ (q >> 6n)));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 80; i += 1) {
      const added =
        cut(h + (turn(e, 14n) ^ turn(e, 18n) ^ turn(e, 41n)) + ((e & f) ^ (cut(~e) & g)) + K[i] + w[i]);
      const two = cut((turn(a, 28n) ^ turn(a, 34n) ^ turn(a, 39n)) + ((a & b) ^ (a & c) ^ (b & c)));
      [h, g, f, e, d, c, b, a] = [g, f, e, cut(d + added), c, b, a, cut(added + two)];
    }
    [a, b, c, d, e, f, g, h].forEach((value, i) => { state[i] = cut(state[i] + value); });
  }
  const digest = new DataView(new ArrayBuffer(64));
  state.forEach((value, i) => digest.setBigUint64(8 * i, value));
  return new Uint8Array(digest.buffer);
}
