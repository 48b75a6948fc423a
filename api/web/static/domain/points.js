// Points as they stand on a sheet: whole numbers with a real minus, kept for players or for two partners.
// Does not know what they are given for.

/** Whether this evening keeps a sheet of points instead of a pot. */
export const isPointGame = (state) => state.scores !== null && state.scores !== undefined;

export const formatPoints = (points) => String(points).replace('-', '−');
export const formatSignedPoints = (points) => (points > 0 ? `+${points}` : formatPoints(points));

/** `p1+p3` are two people, `p2` is one. */
export const sideMembers = (keeper) => keeper.split('+');

/** Whose score a player's tricks go to: his own, or that of his side. */
export const scoreKeeper = (state, id) => Object.keys(state.scores)
  .find((keeper) => sideMembers(keeper).includes(id));

/** What the evening has brought everybody: no payment between people takes it away. */
export const sessionResults = ({ results, balances }) => results ?? balances;

export const signClass = (amount) => (amount < 0 ? 'minus' : amount > 0 ? 'plus' : '');
