// Points and scores: whole numbers with a real minus sign, kept for players or for two partners.

/** Whether the session keeps scores instead of a pot. */
export const isPointGame = (state) => state.scores !== null && state.scores !== undefined;

export const formatPoints = (points) => String(points).replace('-', '−');
export const formatSignedPoints = (points) => (points > 0 ? `+${points}` : formatPoints(points));

/** The players of a side: `p1+p3` are two, `p2` is one. */
export const sideMembers = (keeper) => keeper.split('+');

/** Whose score a player's tricks go to: his own, or his side's. */
export const scoreKeeper = (state, id) => Object.keys(state.scores)
  .find((keeper) => sideMembers(keeper).includes(id));

/** The result of each player; payments between players do not change it. */
export const sessionResults = ({ results, balances }) => results ?? balances;

export const signClass = (amount) => (amount < 0 ? 'minus' : amount > 0 ? 'plus' : '');
