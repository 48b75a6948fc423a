// Cosignatures (C2SP tlog-cosignature). By a phone: its holder has confirmed the sums of a version. By a
// witness, such as another book: the version continues every one that it has seen before.

import { equalBytes, fromBase64, fromHex, joinBytes, utf8 } from './bytes.js';
import { isSignatureValid } from './ed25519.js';
import { isConsistent } from './merkle_tree.js';
import { sha256 } from './sha2.js';
import { InvalidNote, signedRoot } from './signed_note.js';

const SIGNATURE_BYTES = 4 + 8 + 64; // key id, time, Ed25519 signature

// Throws InvalidNote unless all cosignatures are valid, and the document, with this tree root, continues the
// cosigned versions.
export function checkCosignatures({ session, key, witnessed, witnesses }, version, root) {
  if (witnessed !== null) {
    const text = continuedText(session, key, witnessed, version, root);
    if (!witnessed.cosignatures.every((cosignature) =>
      isCosigned(phoneName(session, cosignature.player), cosignature, text)))
      throw new InvalidNote('cosignature_wrong', witnessed.version);
  }
  for (const witness of witnesses ?? []) {
    const text = continuedText(session, key, witness, version, root);
    if (!isCosigned(witness.name, witness, text)) throw new InvalidNote('witness_wrong', witness.version);
  }
}

// The text of the cosigned checkpoint. Throws InvalidNote unless the version with this tree root continues
// it.
function continuedText(session, key, claim, version, root) {
  const firstRoot = signedRoot(claim, session, key);
  if (!isConsistent(claim.version, version, claim.consistency.map(fromHex), firstRoot, root))
    throw new InvalidNote('consistency_wrong', claim.version);
  return `${claim.checkpoint.split('\n\n')[0]}\n`;
}

function isCosigned(name, { key, signature: written }, text) {
  const signature = fromBase64(written);
  const keyId = cosignerId(name, fromHex(key));
  if (signature.length !== SIGNATURE_BYTES || !equalBytes(signature.slice(0, 4), keyId)) return false;
  const time = new DataView(signature.buffer).getBigUint64(4);
  return isSignatureValid(fromHex(key), cosignedText(time, text), signature.slice(12));
}

// The name of a phone's key; the name of a witness has no slash.
export const phoneName = (session, player) => `vola/${session}/${player}`;

// The key id in a cosignature: four bytes.
export const cosignerId = (name, key) =>
  sha256(joinBytes(utf8(name), Uint8Array.of(10, 4), key)).slice(0, 4);

// The bytes that a cosigner signs; `time` in seconds.
export const cosignedText = (time, checkpointText) => utf8(`cosignature/v1\ntime ${time}\n${checkpointText}`);
