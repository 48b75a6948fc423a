// Checks the file of an alarm without two signed documents to compare: names have moved between players, or
// the server denies a version that was kept.

import { movedNames } from './moved_names.js';
import { InvalidNote, signedRoot } from './signed_note.js';

// The names that have moved, according to the file.
export const namesMovedIn = ({ players, names }) => movedNames(players, (player) => names.get(player));

// Throws InvalidNote if a name has moved; otherwise the file proves nothing (null).
export function checkNames(doc) {
  if (namesMovedIn(doc).length > 0) throw new InvalidNote('names_moved');
  return null;
}

// Throws InvalidNote: the checkpoint proves that the version existed, and the file says that the server
// denies it.
export function checkDenial({ session, key, head }, givenKey) {
  if (head === null || key === null) throw new InvalidNote('unsigned');
  if (givenKey !== null && givenKey !== key) throw new InvalidNote('other_key');
  signedRoot(head, session, key);
  throw new InvalidNote('version_denied', head.version);
}
