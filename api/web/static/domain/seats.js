// The seats of the table, clockwise.

/** The seats in clockwise order, beginning with this player. */
export const seatsFrom = (player, seats) => [...seats.slice(seats.indexOf(player)),
  ...seats.slice(0, seats.indexOf(player))];

export const forehandOf = ({ seats, deal }) => seats[(seats.indexOf(deal.dealer) + 1) % seats.length];

/** The player at the dealer's right cuts, and is the only one who can be declarer beside the dealer. */
export function cutterOf(seats, dealer) {
  const place = seats.indexOf(dealer);
  return seats[(place - 1 + seats.length) % seats.length];
}
