// Names that have moved from one player to another. The book lets nobody take a name that another player of
// the session has or had, so only somebody who changes the database can move one.

// The server names a player whose name was erased by number: Spelare 3.
const isErased = ({ id, name }) => name === `Spelare ${id.slice(1)}`;

const nameKey = (name) => name.normalize('NFKC').toLowerCase();

// The players, `[{ id, name }]`, whose names are not erased.
export const namedPlayers = (players) => players.filter((player) => !isErased(player));

// The players who bear a name that another player, the `owner`, was seen to bear. `seenNames(id)` returns the
// names that a player was seen to bear.
export function movedNames(players, seenNames) {
  const present = namedPlayers(players);
  const owners = new Map(present.flatMap(({ id }) =>
    (seenNames(id) ?? []).map((name) => [nameKey(name), id])));
  return present.map(({ id, name }) => ({ player: id, name, owner: owners.get(nameKey(name)) ?? id }))
    .filter(({ player, owner }) => player !== owner);
}
