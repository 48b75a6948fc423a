// The forecast of Spader: the bids of both sides, the points of their tricks, and the winner (docs/rules.md
// §3.2–3.4).

import { sideMembers, sumOf } from '../domain/amounts.js';
import { seatOrder } from '../domain/deal.js';
import { pointsByPlayer, scorePostings } from './forecast.js';

export const SPADER_TRICKS = 13;
const PER_TRICK = 10;
export const REDEAL_REASONS = ['no_spade', 'no_court', 'long_suit'];

/** Redeals before the first bid; both bids; swaps of a blind nil; the tricks. */
const PLAY_ACTIONS = /^(redeal )*side_bid side_bid ((no_)?swap )*(tricks |(trick ){13})$/;

/** See forecast.js. */
export function forecastSpader(state, actions) {
  const { seats, options } = state;
  const actionsOf = (...types) => actions.filter(({ type }) => types.includes(type));
  const redeals = actionsOf('redeal');
  if (!redeals.every(({ player, reason }) => seats.includes(player) && REDEAL_REASONS.includes(reason)))
    return null;
  const outcome = { declarers: [], winner: null, la_vola: null, tricks: [] };
  if (options.redeal_dealer === 'next' && redeals.length > 0) { // A-SP-9: the deal is closed and passes on
    return actions.length > 1 ? null : { outcome: { ...outcome, type: 'redealt' }, code: 'redealt',
      postings: [] };
  }
  const bids = actionsOf('side_bid');
  const tricks = actionsOf('trick').map(({ winner }) => winner);
  const tricksTaken = tricksOf(state, tricks, actionsOf('tricks')[0],
    bids.every((bid) => nilBidders(bid).length === 0));
  if (!PLAY_ACTIONS.test(actions.map(({ type }) => `${type} `).join('')) || tricksTaken === null
    || !areBidsLegal(state, bids)) return null;
  if (actionsOf('swap', 'no_swap').length > bids.filter((bid) => blindNilBidders(bid).length > 0).length)
    return null;

  const bidOf = (side) => bids.find((bid) => bid.side === side);
  const rows = sidesOf(state).flatMap((side) =>
    scoreSide(options, bidOf(side), tricksTaken, state.overtricks[side]));
  const totals = pointsByPlayer(rows);
  const scores = Object.fromEntries(Object.entries(state.scores)
    .map(([side, score]) => [side, score + totals[side]]));
  const newOvertricks = (side) =>
    sumOf(rows.filter((row) => row.to === side).map((row) => row.overtricks ?? 0));
  const champions = gameWinners(options, scores);
  return {
    outcome: { ...outcome, type: 'scored', tricks, taken: tricksTaken, points: totals,
      ...(champions.length > 0 ? { game_won: champions } : {}) },
    code: champions.length > 0 ? 'scored_and_won' : 'scored',
    postings: rows.flatMap(scorePostings),
    overtricks: Object.fromEntries(Object.entries(state.overtricks).map(([side, count]) =>
      [side, count + newOvertricks(side)])),
  };
}

export const sidesOf = ({ seats }) => [`${seats[0]}+${seats[2]}`, `${seats[1]}+${seats[3]}`];

/** How far a side is behind, for its right to a blind nil (A-SP-4). */
export function deficitOf(side, { options, scores }) {
  const otherSide = Object.keys(scores).find((contestant) => contestant !== side);
  return (options.blind_nil_deficit_mode === 'absolute' ? 0 : scores[otherSide]) - scores[side];
}

const blindNilBidders = ({ blind_nil: bidders }) => [bidders ?? []].flat();
const nilBidders = (bid) => [...(bid.nil ? [bid.nil] : []), ...blindNilBidders(bid)];

/** The tricks of each player, or of each side where nobody bid nil; null if they are not thirteen. */
function tricksOf(state, tricks, countAction, bySide) {
  const counts = countAction?.taken ?? {};
  const { seats } = state;
  const sides = sidesOf(state);
  const tricksTaken = Object.fromEntries((bySide && sides.some((side) => side in counts) ? sides : seats)
    .map((id) => [id, countAction ? counts[id] ?? 0 : tricks.filter((winner) => winner === id).length]));
  const fits = Object.values(tricksTaken).every((count) => Number.isInteger(count) && count >= 0)
    && Object.keys(counts).every((id) => id in tricksTaken);
  return fits && sumOf(Object.values(tricksTaken)) === SPADER_TRICKS
    && tricks.every((id) => seats.includes(id)) ? tricksTaken : null;
}

/** The forehand's side bids first; each bid as §3.2 allows. */
function areBidsLegal(state, bids) {
  const order = seatOrder(state);
  return bids.every((bid, place) => bid.side in state.scores && sideMembers(bid.side).includes(order[place])
    && isBidLegal(state, bid));
}

/**
 * A number alone or beside one nil; a joint nil; or nils of both partners, where that is agreed (A-SP-2,
 * A-SP-3).
 */
function isBidLegal(state, bid) {
  const { options } = state;
  const { side, tricks = null, joint_nil: joint = false } = bid;
  const nilPlayers = nilBidders(bid);
  const unseen = blindNilBidders(bid);
  if (new Set(nilPlayers).size < nilPlayers.length
    || !nilPlayers.every((id) => sideMembers(side).includes(id))) return false;
  if (unseen.length > 0 && deficitOf(side, state) < options.blind_nil_deficit) return false;
  if (joint) return tricks === null && nilPlayers.length === 0;
  if (tricks !== null) return Number.isInteger(tricks) && tricks >= 1 && tricks <= SPADER_TRICKS
    && nilPlayers.length < 2;
  return unseen.length === 2 ? options.double_blind_nil
    : nilPlayers.length === 2 && unseen.length === 1 && options.blind_nil_partner_zero;
}

/** The rows of a side, one for each reason (§3.3). */
function scoreSide(options, bid, tricksTaken, overtricks) {
  const side = bid.side;
  const row = (rule, points, because = {}, count = 0) =>
    ({ to: side, rule, points, overtricks: count, because });
  const sideTricks = tricksTaken[side] ?? sumOf(sideMembers(side).map((id) => tricksTaken[id]));
  const rows = [
    ...(bid.joint_nil ? scoreJointNil(options, row, sideTricks) : []),
    ...(bid.tricks ? [scoreTricksBid(options, row, bid, tricksTaken, sideTricks)] : []),
    ...nilBidders(bid).map((id) => {
      const rule = id === bid.nil ? 'nil' : 'blind_nil';
      const isMade = tricksTaken[id] === 0;
      return row(`${rule}_${isMade ? 'made' : 'failed'}`, isMade ? options[rule] : -options[rule],
        { who: { player: id }, numbers: { taken: tricksTaken[id] } });
    }),
  ];
  const newOvertricks = sumOf(rows.map(({ overtricks: count }) => count));
  return [...rows, ...bagPenalty(options, row, overtricks, overtricks + newOvertricks)];
}

/**
 * Ten points for each trick bid and one for each overtrick, or ten off for each one missing (A-SP-13). The
 * tricks of a failed nil may not count (A-SP-14).
 */
function scoreTricksBid(options, row, bid, tricksTaken, sideTricks) {
  const [nil] = nilBidders(bid);
  const uncounted = nil && tricksTaken[nil] > 0 && !options.failed_nil_tricks_count ? nil : null;
  const count = uncounted ? sideTricks - tricksTaken[uncounted] : sideTricks;
  const overtricks = count - bid.tricks;
  const reasonOf = (numbers) => ({
    who: uncounted ? { player: uncounted } : {},
    numbers: { bid: bid.tricks, taken: count, each: PER_TRICK, ...numbers },
  });
  const rule = (name) => (uncounted ? `${name}_apart` : name);
  if (overtricks >= 0) {
    const points = PER_TRICK * bid.tricks + overtricks;
    return row(rule('bid_made'), points, reasonOf({ overtricks }), overtricks);
  }
  const times = options.undertricks === 'per_trick' ? -overtricks : bid.tricks;
  return row(rule('bid_failed'), -PER_TRICK * times, reasonOf({ times }));
}

/** One bid for both partners, made or failed once (A-SP-1). */
function scoreJointNil(options, row, tricksTaken) {
  const because = { numbers: { taken: tricksTaken } };
  if (tricksTaken === 0) return [row('joint_nil_made', options.joint_nil, because)];
  return [row('joint_nil_failed', options.joint_nil_fail, because),
    ...(options.joint_nil_fail_bags ? [row('joint_nil_bags', tricksTaken, because, tricksTaken)] : [])];
}

/**
 * A penalty each time the overtricks of the game fill another ten; their points may be removed as well
 * (A-SP-7).
 */
function bagPenalty(options, row, overtricksBefore, overtricksAfter) {
  const { bag_limit: limit, bag_penalty: penalty, bag_points_removed: removed } = options;
  const full = (count) => (count - (count % limit)) / limit;
  const filled = full(overtricksAfter) - full(overtricksBefore);
  const because = { numbers: { taken: overtricksAfter } };
  return filled === 0 ? [] : [...(penalty > 0 ? [row('bags', -penalty * filled, because)] : []),
    ...(removed ? [row('bag_points', -limit * filled, because)] : [])];
}

/**
 * The winners: a side reached the target, or one fell to the floor (A-SP-12); then the higher one wins (§3.4,
 * A-SP-5).
 */
function gameWinners({ target, loss_floor: floor, tie_at_target: tie }, scores) {
  const best = Math.max(...Object.values(scores));
  const worst = Math.min(...Object.values(scores));
  const isOver = best >= target || (floor !== null && worst <= floor);
  if (!isOver || (best === worst && tie === 'play_on')) return [];
  return Object.keys(scores).filter((side) => scores[side] === best);
}
