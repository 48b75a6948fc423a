// Checks the proofs of a receipt. Also the alarms without two signed documents to compare: names have moved
// from one player to another, or the server denies a version that was kept.

import { fromHex } from './bytes.js';
import { isConsistent, isIncluded, leafHash } from './merkle_tree.js';
import { InvalidNote, signedRoot } from './signed_note.js';

// Returns the roots of the receipt's version and of its head, signed by its key. Throws InvalidNote if a
// signature or a proof does not hold.
export function checkProofs(doc) {
  const { version, head, inclusion, consistency } = doc;
  const [root, headRoot] = [doc, head].map((claim) => signedRoot(claim, doc.session, doc.key));
  if (!isIncluded(leafHash(fromHex(doc.hash)), version - 1, head.version, inclusion.map(fromHex), headRoot))
    throw new InvalidNote('inclusion_wrong', version);
  if (!isConsistent(version, head.version, consistency.map(fromHex), root, headRoot))
    throw new InvalidNote('consistency_wrong', version);
  return [root, headRoot];
}

// The server names a player whose name was erased by number: Spelare 3.
const isErased = ({ id, name }) => name === `Spelare ${id.slice(1)}`;

const MAX_NAME_CHARACTERS = 1000;

// What two spellings of one name have in common. No server has so long a name that it is left as it is: the
// time of NFKC grows with the square of the accents.
const nameKey = (name) =>
  ([...name].length > MAX_NAME_CHARACTERS ? name : name.normalize('NFKC').toLowerCase());

// The players, `[{ id, name }]`, whose names are not erased.
export const namedPlayers = (players) => players.filter((player) => !isErased(player));

// The players who bear a name that another player, the `owner`, was seen to bear. `seenNames(id)` returns the
// names that a player was seen to bear. The book lets nobody take a name that another player of the session
// has or had, so only somebody who changes the database can move one.
export function movedNames(players, seenNames) {
  const present = namedPlayers(players);
  const owners = new Map(present.flatMap(({ id }) =>
    (seenNames(id) ?? []).map((name) => [nameKey(name), id])));
  return present.map(({ id, name }) => ({ player: id, name, owner: owners.get(nameKey(name)) ?? id }))
    .filter(({ player, owner }) => player !== owner);
}

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
