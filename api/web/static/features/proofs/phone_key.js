// This phone's own Ed25519 key, one for all sessions: made when it is first needed, and kept on the phone.

import { readProofs, updateProofs } from '../../core/device_storage.js';
import { toHex } from '../../verify/bytes.js';
import { publicKeyOf } from '../../verify/ed25519_signer.js';

const RECORD_ID = 'phone key'; // beside the records of the sessions, whose ids are UUIDs

let keyInMemory = null; // where nothing can be stored, for as long as the page is open

/** The phone's key, `{ seed, key }`, with the public key in hexadecimal; null before it is first needed. */
export const existingKey = async () => (await readProofs(RECORD_ID)) ?? keyInMemory;

/** The same key; made now if there is none. */
export async function phoneKey() {
  const existing = await existingKey();
  if (existing !== null) return existing;
  const seed = crypto.getRandomValues(new Uint8Array(32));
  keyInMemory = { seed, key: toHex(publicKeyOf(seed)) };
  await updateProofs(RECORD_ID, (stored) => stored ?? keyInMemory); // another tab may have been faster
  return existingKey();
}
