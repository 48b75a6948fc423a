// The keys that stand for the players where a deal is typed from paper: the marks of the printed score sheet.

/** Each seated player's mark, by id: the first letter, with the seat's number where two names share it. */
export function playerMarks({ seats, players }) {
  const letters = new Map(seats.map((id) => {
    const name = players.find((player) => player.id === id)?.name ?? '';
    return [id, /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase() ?? ''];
  }));
  const isShared = (letter) => [...letters.values()].filter((usedLetter) => usedLetter === letter).length > 1;
  return new Map(seats.map((id, place) => {
    const letter = letters.get(id);
    return [id, letter === '' || isShared(letter) ? `${letter}${place + 1}` : letter];
  }));
}

/**
 * The players whose marks stand one after the other in a text, in any case; null if anything else stands
 * there. `withNumbers`: the number of a seat will do as well.
 */
export function readPlayers(text, state, withNumbers = false) {
  const marks = [...playerMarks(state)].flatMap(([id, mark], place) =>
    (withNumbers ? [[mark, id], [String(place + 1), id]] : [[mark, id]]));
  const longestFirst = marks.toSorted(([mark], [nextMark]) => nextMark.length - mark.length);
  const ids = [];
  let rest = text.toUpperCase();
  while (rest !== '') {
    const match = longestFirst.find(([mark]) => rest.startsWith(mark));
    if (!match) return null;
    ids.push(match[1]);
    rest = rest.slice(match[0].length);
  }
  return ids;
}

/** The words of a line, apart from one another by spaces. */
export const wordsOf = (line) => line.trim().split(/\s+/).filter(Boolean);

/** The number that a word is; null if it is none. */
export const readCount = (word) => (/^\d{1,2}$/.test(word) ? Number(word) : null);

/** The reason why a line cannot be read: the key of a sentence and its values. */
export const unread = (code, values = {}) => ({ actions: null, code, values });
