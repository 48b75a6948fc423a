// A deal of five tricks, checked action by action (domain/deal.js) and rejected at the first action that the
// server would refuse.

import { cutterOf, readDeal, seatsFrom, winnerOf } from '../domain/deal.js';

/** The seats clockwise, the dealer last. */
export const seatOrder = ({ seats, deal: { dealer } }) =>
  seatsFrom(seats[(seats.indexOf(dealer) + 1) % seats.length], seats);

/** The other players, clockwise from `player`. */
export const otherPlayers = (player, seats) => seatsFrom(player, seats).slice(1);

/**
 * The deal that these actions add up to: as `readDeal`, with `winner` (of the tricks; undefined when a la
 * vola was lost or nobody played) and the declarers in seat order, the cutter before the dealer. Null if the
 * server would refuse an action or the deal is open. `terms` as in domain/games.js; `fits(result, deal)`:
 * whether a result is possible.
 */
export function readFiveTricks(state, actions, { call, fits, pair = false, ...terms }) {
  const { seats, options } = state;
  const dealUpTo = (count) =>
    readDeal(actions.slice(0, count), { seats, earlyEnd: options.allow_early_end, ...terms });
  const may = {
    declare: ({ phase }, { players }) => phase === 'declare' && mayDeclare(state, players ?? [], pair),
    all_pass: ({ phase }) => phase === 'declare',
    trick: ({ phase }, { winner }) => phase === 'play' && seats.includes(winner),
    [call]: ({ mayVola }, action) => mayVola !== null && mayVola === action.player,
    finish: ({ mayFinish }) => mayFinish !== null,
    result: (deal, action) => deal.phase === 'play' && deal.tricks.length === 0 && fits(action, deal),
  };
  if (!actions.every((action, place) => may[action.type]?.(dealUpTo(place), action))) return null;
  const deal = dealUpTo(actions.length);
  if (deal.phase !== 'closed') return null;
  const declarers = seatOrder(state).filter((id) => deal.declarers.includes(id));
  return { ...deal, declarers, winner: deal.result ? deal.result.winner : winnerOf(deal.tricks) };
}

/** One seated player, or the two who may have had to take a card: the dealer and the cutter (§1.4). */
function mayDeclare({ seats, deal: { dealer } }, players, pair) {
  if (players.length === 1) return seats.includes(players[0]);
  return pair && players.length === 2 && [dealer, cutterOf(seats, dealer)]
    .every((id) => players.includes(id));
}
