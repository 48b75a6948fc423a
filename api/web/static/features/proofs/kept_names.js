// Whether a player now bears a name that this device has seen another player bear. The book lets nobody take
// a name that another player of the session has or had, so only somebody who writes to the database can move
// it. Names are in no hash, so no receipt shows it. Computes only.

/** What the server calls a player whose name has been erased: Spelare 3. */
const isErased = ({ id, name }) => name === `Spelare ${id.slice(1)}`;

const nameKey = (name) => name.normalize('NFKC').toLowerCase();

/**
 * Compares the players, `[{ id, name }]`, with the names kept, `{ id: [name, …] }`. Returns `{ names }`, to
 * keep from now on, or `{ reason }` if a player bears the name of another. Erased names are kept no longer.
 */
export function continueNames(names, players) {
  const present = players.filter((player) => !isErased(player));
  const seenNames = present.flatMap(({ id }) => (names[id] ?? []).map((name) => [nameKey(name), id]));
  const bearers = new Map(seenNames);
  const isMoved = ({ id, name }) => (bearers.get(nameKey(name)) ?? id) !== id;
  if (present.some(isMoved)) return { reason: 'names_swapped' };
  return { names: Object.fromEntries(present.map(({ id, name }) =>
    [id, [...new Set([...(names[id] ?? []), name])]])) };
}
