// Spader ahead of the server: what each side bid, what its tricks are worth, and who has won (docs/rules.md
// §3.2–3.4).

import { sideMembers } from '../domain/points.js';
import { pointsByPlayer, scorePostings } from './accounts.js';
import { seatOrder } from './five_tricks.js';

const SPADER_TRICKS = 13;
const PER_TRICK = 10;
const REASONS = ['no_spade', 'no_court', 'long_suit'];

/** New cards before anybody has bid; both sides' bids; cards swapped or not by a blind nil; the tricks. */
const PLAY_ACTIONS = /^(redeal )*side_bid side_bid ((no_)?swap )*(tricks |(trick ){13})$/;

/** See index.js. */
export function forecastSpader(state, said) {
  const { seats, options } = state;
  const of = (...types) => said.filter(({ type }) => types.includes(type));
  const redeals = of('redeal');
  if (!redeals.every(({ player, reason }) => seats.includes(player) && REASONS.includes(reason))) return null;
  const outcome = { declarers: [], winner: null, la_vola: null, tricks: [] };
  if (options.redeal_dealer === 'next' && redeals.length > 0) { // A-SP-9: the deal is over, and passes on
    return said.length > 1 ? null : { outcome: { ...outcome, type: 'redealt' }, code: 'redealt',
      postings: [] };
  }
  const bids = of('side_bid');
  const tricks = of('trick').map(({ winner }) => winner);
  const taken = tricksOf(seats, tricks, of('tricks')[0], bids.every((bid) => nilBidders(bid).length === 0));
  if (!PLAY_ACTIONS.test(said.map(({ type }) => `${type} `).join('')) || taken === null
    || !isActionLegal(state, bids)) return null;
  if (of('swap', 'no_swap').length > bids.filter((bid) => blindNilBidders(bid).length > 0).length)
    return null;

  const rows =
    sideIds(seats).flatMap((side) => scoreSide(options, bids.find((bid) => bid.side === side), taken,
    state.overtricks[side]));
  const totals = pointsByPlayer(rows);
  const scores = Object.fromEntries(Object.entries(state.scores)
    .map(([side, had]) => [side, had + totals[side]]));
  const more = (side) => rows.reduce((sum, row) => sum + (row.to === side ? row.overtricks ?? 0 : 0), 0);
  const champions = gameWinners(options, scores);
  return {
    outcome: { ...outcome, type: 'scored', tricks, taken, points: totals,
      ...(champions.length > 0 ? { game_won: champions } : {}) },
    code: champions.length > 0 ? 'scored_and_won' : 'scored',
    postings: rows.flatMap(scorePostings),
    overtricks: Object.fromEntries(Object.entries(state.overtricks).map(([side, had]) =>
      [side, had + more(side)])),
  };
}

const sideIds = ([one, two, three, four]) => [`${one}+${three}`, `${two}+${four}`];
const blindNilBidders = ({ blind_nil: said }) => [said ?? []].flat();
const nilBidders = (bid) => [...(bid.nil ? [bid.nil] : []), ...blindNilBidders(bid)];

/**
 * Everybody's tricks, as they sit, or those of both sides, where nobody bid nil; null if they are not
 * thirteen of theirs.
 */
function tricksOf(seats, tricks, counted, bySide) {
  const given = counted?.taken ?? {};
  const sides = sideIds(seats);
  const taken = Object.fromEntries((bySide && sides.some((side) => side in given) ? sides : seats)
    .map((id) => [id, counted ? given[id] ?? 0 : tricks.filter((one) => one === id).length]));
  const sum = Object.values(taken).reduce((one, other) => one + other, 0);
  const fits = Object.values(taken).every((count) => Number.isInteger(count) && count >= 0)
    && Object.keys(given).every((id) => id in taken);
  return fits && sum === SPADER_TRICKS && tricks.every((id) => seats.includes(id)) ? taken : null;
}

/** The forehand's side bids first, and each as §3.2 allows. */
function isActionLegal(state, bids) {
  const order = seatOrder(state);
  return bids.every((bid, place) => bid.side in state.scores && sideMembers(bid.side).includes(order[place])
    && isBidLegal(state, bid));
}

/**
 * A number alone or beside one nil; nil together; or nils of both partners, where that is agreed (A-SP-2,
 * A-SP-3).
 */
function isBidLegal({ options, scores }, bid) {
  const { side, tricks = null, joint_nil: joint = false } = bid;
  const said = nilBidders(bid);
  const unseen = blindNilBidders(bid);
  const other = Object.keys(scores).find((keeper) => keeper !== side);
  // A-SP-4
  const behind = options.blind_nil_deficit_mode === 'absolute' ? -scores[side] : scores[other] - scores[side];
  if (new Set(said).size < said.length || !said.every((id) => sideMembers(side).includes(id))) return false;
  if (unseen.length > 0 && behind < options.blind_nil_deficit) return false;
  if (joint) return tricks === null && said.length === 0;
  if (tricks !== null) return Number.isInteger(tricks) && tricks >= 1 && tricks <= SPADER_TRICKS
    && said.length < 2;
  return unseen.length === 2 ? options.double_blind_nil
    : said.length === 2 && unseen.length === 1 && options.blind_nil_partner_zero;
}

/** A side's rows, one for each reason (§3.3). */
function scoreSide(options, bid, taken, overtricks) {
  const to = bid.side;
  const row = (rule, made, because = {}, over = 0) => ({ to, rule, points: made, overtricks: over, because });
  const together = taken[to] ?? sideMembers(to).reduce((sum, id) => sum + taken[id], 0);
  const rows = [
    ...(bid.joint_nil ? scoreJointNil(options, row, together) : []),
    ...(bid.tricks ? [scoreTricksBid(options, row, bid, taken, together)] : []),
    ...nilBidders(bid).map((id) => {
      const rule = id === bid.nil ? 'nil' : 'blind_nil';
      const made = taken[id] === 0;
      return row(`${rule}_${made ? 'made' : 'failed'}`, made ? options[rule] : -options[rule],
        { who: { player: id }, numbers: { taken: taken[id] } });
    }),
  ];
  return [...rows, ...bagPenalty(options, row, overtricks, overtricks + rows
    .reduce((sum, { overtricks: over }) => sum + over, 0))];
}

/**
 * Ten for each trick bid and one for each more, or ten off for each one missing (A-SP-13). A failed nil's
 * tricks may not count (A-SP-14).
 */
function scoreTricksBid(options, row, bid, taken, together) {
  const [nil] = nilBidders(bid);
  const apart = nil && taken[nil] > 0 && !options.failed_nil_tricks_count ? nil : null;
  const count = apart ? together - taken[apart] : together;
  const over = count - bid.tricks;
  const why = (numbers) =>
    ({ who: apart ? { player: apart } : {}, numbers: { bid: bid.tricks, taken: count, each: PER_TRICK,
    ...numbers } });
  const rule = (name) => (apart ? `${name}_apart` : name);
  if (over >= 0) return row(rule('bid_made'), PER_TRICK * bid.tricks + over, why({ overtricks: over }), over);
  const times = options.undertricks === 'per_trick' ? -over : bid.tricks;
  return row(rule('bid_failed'), -PER_TRICK * times, why({ times }));
}

/** One bid for both, made or failed once (A-SP-1). */
function scoreJointNil(options, row, taken) {
  const because = { numbers: { taken } };
  if (taken === 0) return [row('joint_nil_made', options.joint_nil, because)];
  return [row('joint_nil_failed', options.joint_nil_fail, because),
    ...(options.joint_nil_fail_bags ? [row('joint_nil_bags', taken, because, taken)] : [])];
}

/**
 * A penalty each time that the overtricks of the whole game fill another ten; the points for them may go, too
 * (A-SP-7).
 */
function bagPenalty({ bag_limit: limit, bag_penalty: penalty, bag_points_removed: removed }, row, before,
  after) {
  const full = (count) => (count - (count % limit)) / limit;
  const filled = full(after) - full(before);
  const because = { numbers: { taken: after } };
  return filled === 0 ? [] : [...(penalty > 0 ? [row('bags', -penalty * filled, because)] : []),
    ...(removed ? [row('bag_points', -limit * filled, because)] : [])];
}

/**
 * Whether a side came to the target, or one fell to the floor (A-SP-12): the higher one wins (§3.4, A-SP-5).
 */
function gameWinners({ target, loss_floor: floor, tie_at_target: tie }, scores) {
  const best = Math.max(...Object.values(scores));
  const worst = Math.min(...Object.values(scores));
  const over = best >= target || (floor !== null && worst <= floor);
  if (!over || (best === worst && tie === 'play_on')) return [];
  return Object.keys(scores).filter((side) => scores[side] === best);
}
