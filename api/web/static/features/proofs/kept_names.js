// Whether a player now bears a name that this device has seen another player bear. Names are in no hash, so
// no receipt shows it. Computes only.

import { movedNames, namedPlayers } from '../../verify/moved_names.js';

/**
 * Compares the players, `[{ id, name }]`, with the names kept, `{ id: [name, …] }`. Returns `{ names }`, to
 * keep from now on, or `{ reason }` if a player bears the name of another. Erased names are kept no longer.
 */
export function continueNames(names, players) {
  if (movedNames(players, (player) => names[player]).length > 0) return { reason: 'names_swapped' };
  return { names: Object.fromEntries(namedPlayers(players).map(({ id, name }) =>
    [id, [...new Set([...(names[id] ?? []), name])]])) };
}
