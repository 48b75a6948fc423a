// The pack: ranks, suits and cards such as `10H`. The suits stand in the order of the jacks.

export const RANKS = ['A', 'K', 'Q', 'J', '10', '9', '8', '7', '6', '5', '4', '3', '2'];
export const COURT_RANKS = ['A', 'K', 'Q', 'J'];

export const rankOf = (card) => card.slice(0, -1);
export const suitOf = (card) => card.slice(-1);

/** All cards down to this rank. */
export const packFrom = (lowest) => SUITS.flatMap((letter) =>
  RANKS.slice(0, RANKS.indexOf(lowest) + 1).map((rank) => rank + letter));

export const SUITS = ['C', 'S', 'H', 'D'];
