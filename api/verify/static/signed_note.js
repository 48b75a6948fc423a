// Signed notes (C2SP signed-note, tlog-checkpoint): the checkpoint of a version of a session, and others.

import { equalBytes, fromBase64, fromHex, joinBytes, utf8 } from './bytes.js';
import { isSignatureValid } from './ed25519.js';
import { sha256 } from './sha2.js';

// The document does not hold. `code` names the page's sentence, `version` the version that is wrong, if any.
export class InvalidNote extends Error {
  constructor(code, version = null) {
    super(code);
    Object.assign(this, { code, version });
  }
}

const NOTE_LINES = '((?:— [!-*,-~]+ [A-Za-z0-9+/]+={0,2}\\n){1,16})';
const NOTE = new RegExp(
  '^((vola/[0-9a-f-]{36})\n([1-9][0-9]{0,9})\n([A-Za-z0-9+/]{43}=)\n' +
  `chain ([0-9a-f]{64})\ntime ([0-9TZ:.-]{27})\n)\n${NOTE_LINES}$`,
);

// Returns the root in the claim's checkpoint. Throws InvalidNote unless the checkpoint is about the claim and
// signed by this key.
export function signedRoot(claim, session, keyHex) {
  const { version } = claim;
  const key = fromHex(keyHex);
  const note = NOTE.exec(claim.checkpoint ?? '');
  if (!note) throw new InvalidNote('checkpoint_wrong', version);
  const [, text, origin, size, rootText, chain, time, lines] = note;
  const isAboutClaim = origin === `vola/${session}` && size === String(version) && chain === claim.hash;
  if (!isAboutClaim || time !== (claim.at ?? time)) throw new InvalidNote('checkpoint_wrong', version);
  const root = fromBase64(rootText);
  if (!hasSigned(origin, key, text, lines) || root.length !== 32)
    throw new InvalidNote('signature_wrong', version);
  return root;
}

// Whether this note has exactly this text and is signed by this key for this session.
export function isSigned(note, text, session, keyHex) {
  const end = note.indexOf('\n\n');
  const lines = note.slice(end + 2);
  if (end < 0 || `${note.slice(0, end)}\n` !== text || !new RegExp(`^${NOTE_LINES}$`).test(lines))
    return false;
  return hasSigned(`vola/${session}`, fromHex(keyHex), text, lines);
}

// Whether a line holds a valid signature of this key; only the first line with the key's name and id counts.
function hasSigned(origin, key, text, lines) {
  const hint = sha256(joinBytes(utf8(origin), Uint8Array.of(10, 1), key)).slice(0, 4);
  for (const line of lines.trimEnd().split('\n')) {
    const [, name, written] = line.split(' ');
    const signature = fromBase64(written);
    if (name === origin && signature.length === 68 && equalBytes(signature.slice(0, 4), hint)) {
      return isSignatureValid(key, utf8(text), signature.slice(4));
    }
  }
  return false;
}
