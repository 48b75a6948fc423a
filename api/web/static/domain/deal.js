// What the taps of one deal of five tricks add up to, and what may be tapped next.
// The server decides; this only keeps the form from offering what it would refuse (rules §1.4–1.7, §2.2).

export const TRICKS = 5;

/** The promise of all five tricks, as the one game says it and as the other. */
const CALLS = ['la_vola', 'vole'];

/** Three tricks win; else whoever was first to two; with five players perhaps nobody. */
export function winnerOf(tricks) {
  const taken = new Map();
  for (const player of tricks) taken.set(player, (taken.get(player) ?? 0) + 1);
  for (const [player, count] of taken) if (count >= 3) return player;
  const seen = new Set();
  for (const player of tricks) {
    if (seen.has(player)) return player;
    seen.add(player);
  }
  return null;
}

/** The winner that no completion of the tricks can change; undefined while it is open. */
export function certainWinner(tricks, seats) {
  if (tricks.length === TRICKS) return winnerOf(tricks);
  let certain;
  for (const next of seats) {
    const winner = certainWinner([...tricks, next], seats);
    if (winner === undefined || (certain !== undefined && winner !== certain)) return undefined;
    certain = winner;
  }
  return certain;
}

/** The player at the dealer's right cuts, and is the only one who can be declarer beside the dealer. */
export function cutterOf(seats, dealer) {
  const place = seats.indexOf(dealer);
  return seats[(place - 1 + seats.length) % seats.length];
}

/**
 * Reads a deal's actions (without open_deal) in order.
 * phase: declare → play → closed. mayVola, mayFinish: a player's id when that tap is allowed now.
 * soloist: only the declarer may say that all five will be taken. playOn: a trick lost then does not end the deal.
 */
export function read(actions, { seats, earlyEnd = true, soloist = false, playOn = false }) {
  const deal = { declarers: [], trump: null, tricks: [], vola: null, call: 'la_vola', result: null, passed: false, finished: false };
  for (const action of actions) {
    if (action.type === 'declare') Object.assign(deal, { declarers: action.players, trump: action.trump ?? null });
    else if (action.type === 'all_pass') deal.passed = true;
    else if (action.type === 'trick') deal.tricks.push(action.winner);
    else if (CALLS.includes(action.type)) Object.assign(deal, { vola: action.player, call: action.type });
    else if (action.type === 'finish') deal.finished = true;
    else if (action.type === 'result') deal.result = action;
  }
  const { tricks, vola } = deal;
  const volaLost = vola !== null && !playOn && tricks.some((winner) => winner !== vola);
  const closed = deal.passed || deal.finished || deal.result !== null || volaLost || tricks.length === TRICKS;
  const onLead = tricks.length === 2 && tricks[0] === tricks[1] && vola === null && (!soloist || deal.declarers.includes(tricks[0]));
  const everyTrick = vola !== null && tricks.every((winner) => winner === vola); // the next one decides
  const certain = !everyTrick && tricks.length > 2 && earlyEnd ? certainWinner(tricks, seats) : undefined;
  return {
    ...deal,
    phase: closed ? 'closed' : deal.declarers.length === 0 ? 'declare' : 'play',
    mayVola: !closed && onLead ? tricks[0] : null,
    mayFinish: !closed && certain !== undefined ? certain : null,
  };
}

/** Actions as recorded by the server, without the opening: what the form can go on from. */
export const played = (recorded) => (recorded.actions ?? []).filter((action) => action.type !== 'open_deal');

/** False for a deal being recorded card by card from somewhere else: the form cannot go on from it. */
export const understood = (actions) => actions.every((action) =>
  ['declare', 'all_pass', 'trick', ...CALLS, 'finish', 'result'].includes(action.type));

/** The whole deal as one batch, or only what is new when it is open already. */
export function batch(number, taps, alreadyOpen) {
  return alreadyOpen ? taps : [{ type: 'open_deal', number }, ...taps];
}
