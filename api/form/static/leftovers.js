// What each way of ending an evening would give everybody (rules §5). The server posts it; this shows it before.

/** player id → what he gets; empty for a policy that moves nothing. `seats` and `dealer` are the last deal's. */
export function shares(policy, { pot, bets, seats, dealer }) {
  const share = new Map();
  const give = (id, amount) => share.set(id, (share.get(id) ?? 0) + amount);
  if (policy !== 'refund_bets' && policy !== 'split_equal') return share;
  let common = pot;
  for (const bet of bets) {
    if (bet.paid === false) continue; // never laid on the table: nothing to hand back
    if (policy === 'split_equal') common += bet.amount;
    else bet.by.forEach((id) => give(id, bet.amount / bet.by.length)); // a merged bet is twice the same sum
  }
  // The quotient to everyone; what is over one by one, clockwise from the last dealer's left.
  const over = common % seats.length;
  const first = seats.indexOf(dealer) + 1;
  seats.forEach((id, place) => {
    const turn = (place - first + seats.length) % seats.length;
    give(id, (common - over) / seats.length + (turn < over ? 1 : 0));
  });
  return share;
}
