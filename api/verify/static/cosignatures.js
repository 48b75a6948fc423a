// What phones have cosigned: their holders confirmed the sums of a version (C2SP tlog-cosignature).

import { equalBytes, fromBase64, fromHex, joinBytes, utf8 } from './bytes.js';
import { isSignatureValid } from './ed25519.js';
import { isConsistent } from './merkle_tree.js';
import { sha256 } from './sha2.js';
import { InvalidNote, signedRoot } from './signed_note.js';

const SIGNATURE_BYTES = 4 + 8 + 64; // key id, time, Ed25519 signature

// Refuse unless the document, with this tree root, continues the cosigned version that each phone signed.
export function checkCosignatures({ session, key, witnessed }, version, root) {
  if (witnessed === null) return;
  const firstRoot = signedRoot(witnessed, session, key);
  const proof = witnessed.consistency.map(fromHex);
  if (!isConsistent(witnessed.version, version, proof, firstRoot, root))
    throw new InvalidNote('consistency_wrong', witnessed.version);
  const text = `${witnessed.checkpoint.split('\n\n')[0]}\n`;
  if (!witnessed.cosignatures.every((cosignature) => isCosigned(session, cosignature, text)))
    throw new InvalidNote('cosignature_wrong', witnessed.version);
}

function isCosigned(session, { player, key, signature: written }, text) {
  const signature = fromBase64(written);
  const keyId = cosignerId(session, player, fromHex(key));
  if (signature.length !== SIGNATURE_BYTES || !equalBytes(signature.slice(0, 4), keyId)) return false;
  const time = new DataView(signature.buffer).getBigUint64(4);
  return isSignatureValid(fromHex(key), cosignedText(time, text), signature.slice(12));
}

// The four bytes that tell which phone's key has cosigned.
export const cosignerId = (session, player, key) =>
  sha256(joinBytes(utf8(`vola/${session}/${player}`), Uint8Array.of(10, 4), key)).slice(0, 4);

// What a phone signs, at this time in seconds.
export const cosignedText = (time, checkpointText) => utf8(`cosignature/v1\ntime ${time}\n${checkpointText}`);
