// Cosigns a version of a session with this device's key, once the version is proven to be of the history that
// this device has seen, and its sums are still those that its owner saw. The Ed25519 key is one for all
// sessions: made when it is first needed, and kept on the device.

import { getJson, sendRequest, sessionPath } from '../../core/api_client.js';
import { readProofs, updateProofs } from '../../core/database.js';
import { Unreached } from '../../core/request_errors.js';
import { isSameClosing } from '../../domain/amounts.js';
import { bigEndian, fromHex, joinBytes, toBase64, toHex } from '../../verify/bytes.js';
import { cosignedText, cosignerId, phoneName } from '../../verify/cosignatures.js';
import { publicKeyOf, signMessage } from '../../verify/ed25519.js';
import { EMPTY_RECORD, isEmpty, proveReceipt, proveVersion, provenSpan,
  receiptPath } from './continuation.js';
import { raiseAlarm } from './kept_proofs.js';

const MAX_RECEIPTS = 100; // of own writes; the watch proves the others
const KEY_RECORD = 'phone key'; // beside the records of the sessions, whose ids are UUIDs

let keyInMemory = null; // where nothing can be stored, for as long as the page is open

/** The device's key, `{ seed, key }`, with the public key in hexadecimal; null before it is first needed. */
export const existingKey = async () => (await readProofs(KEY_RECORD)) ?? keyInMemory;

/** The same key; made now if there is none. */
async function deviceKey() {
  const existing = await existingKey();
  if (existing !== null) return existing;
  const seed = crypto.getRandomValues(new Uint8Array(32));
  keyInMemory = { seed, key: toHex(publicKeyOf(seed)) };
  await updateProofs(KEY_RECORD, (stored) => stored ?? keyInMemory); // another tab may have been faster
  return existingKey();
}

/**
 * Signs and sends what the owner has confirmed, `{ version, player, sums }`. Resolves to 'stored'; to
 * 'changed' if the session has other sums now, or is open; or to 'unproven' if the version contradicts what
 * this device has kept. Throws Unreached, and the Problem of a server that refuses the cosignature.
 */
export async function cosign(id, { version, player, sums }) {
  const state = await getJson(sessionPath(id));
  if (!isSameClosing(state, sums)) return 'changed';
  const claim = await provenClaim(id, version);
  if (claim === null) return 'unproven';
  const { seed, key } = await deviceKey();
  const signature = cosignature({ seed, key, session: id, player, checkpoint: claim.checkpoint });
  await sendRequest('PUT', sessionPath(id, `/cosignatures/${key}`), { body: { version, player, signature } });
  return 'stored';
}

/** The cosignature of a checkpoint at the device's time, as C2SP tlog-cosignature has it; in base64. */
export function cosignature({ seed, key, session, player, checkpoint,
  time = Math.floor(Date.now() / 1_000) }) {
  const text = `${checkpoint.split('\n\n')[0]}\n`;
  return toBase64(joinBytes(cosignerId(phoneName(session, player), fromHex(key)), bigEndian(time, 8),
    signMessage(seed, cosignedText(time, text))));
}

/**
 * The signed version, once it is proven to contain what this device has kept; null if it contradicts that,
 * which raises the alarm, or is not signed.
 */
async function provenClaim(id, version) {
  const record = await readProofs(id) ?? EMPTY_RECORD;
  if (record.alarm !== null) return null;
  const outcome = await requestProof(id, record, provenSpan(record, version),
    (answer) => proveVersion(id, record, version, answer));
  if (!outcome.claim) return null;
  const { claim } = outcome;
  const provenRecord = { ...record, key: claim.key, head: claim };
  const earlierReceipts = record.receipts.filter((receipt) => receipt.version < version).slice(-MAX_RECEIPTS);
  for (const receipt of earlierReceipts) {
    const isProven = await requestProof(id, provenRecord, [receipt.version, version],
      (answer) => proveReceipt(id, provenRecord, receipt, answer));
    if (!isProven.record) return null;
  }
  return claim;
}

/** The result of `judge(answer)`. A contradiction raises the alarm. Throws Unreached for null. */
async function requestProof(id, record, [version, lastVersion], judge) {
  const path = sessionPath(id, receiptPath(version, lastVersion));
  let answer;
  let outcome;
  try {
    answer = await getJson(path);
    outcome = judge(answer);
  } catch (error) {
    if (error.code !== 'unknown_version') throw error;
    answer = error.body;
    outcome = { reason: 'tail_missing', version };
  }
  if (outcome === null) throw new Unreached(path);
  if (outcome.reason && !isEmpty(record)) await raiseAlarm(id, record, outcome, answer);
  return outcome;
}
