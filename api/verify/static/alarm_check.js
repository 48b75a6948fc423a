// What the file of an alarm shows that has no two signed documents to compare: names that have moved between
// players, or a server that denies a version which was kept.

import { movedNames } from './moved_names.js';
import { InvalidNote, signedRoot } from './signed_note.js';

// Which names have moved in such a file.
export const namesMovedIn = ({ players, names }) => movedNames(players, (player) => names.get(player));

// Refuses names of which one has moved; else nothing is proven.
export function checkNames(doc) {
  if (namesMovedIn(doc).length > 0) throw new InvalidNote('names_moved');
  return null;
}

// Refuses a version that was there, as its checkpoint shows, and is there no more, as the file says.
export function checkDenial({ session, key, head }, givenKey) {
  if (head === null || key === null) throw new InvalidNote('unsigned');
  if (givenKey !== null && givenKey !== key) throw new InvalidNote('other_key');
  signedRoot(head, session, key);
  throw new InvalidNote('version_denied', head.version);
}
