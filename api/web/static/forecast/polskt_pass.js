// Polskt pass ahead of the server: a pot, and a stack of bets of which the smallest is played for
// (docs/rules.md §1.5–1.8).

import { TRICKS } from '../domain/deal.js';
import { MAX_AMOUNT, POT, betAccount, playerAccount, posting } from './accounts.js';
import { otherPlayers, readFiveTricks } from './five_tricks.js';

/** See index.js. What is said after the end is whether bets just laid are put together. */
export function forecastPolsktPass(state, said) {
  const { seats, amount_played_for: playedFor, options } = state;
  const merge = said.findIndex(({ type }) => type === 'merge');
  const [played, merges] = merge < 0 ? [said, []] : [said.slice(0, merge), said.slice(merge)];
  const deal =
    readFiveTricks(state, played, { call: 'la_vola', pair: true,
    fits: (result) => isPossible(result, seats) });
  if (deal === null || options.bet_multiplier * playedFor > MAX_AMOUNT) return null;
  const ended = deal.passed ? dealWithoutPayment('all_pass') : deal.vola || deal.result?.la_vola
    ? laVolaDeal(state, deal) : wonDeal(state, deal);
  const bothLost = ended.laid.length > 0 && deal.declarers.length === 2
    && !deal.declarers.includes(ended.outcome.winner) && !ended.outcome.la_vola;
  const after = merges.reduce((so, { type, together = true }) =>
    (so && bothLost && type === 'merge' ? mergeBets(so, together) : null), ended);
  if (!after) return null;
  const { taken, laid } = after;
  return { ...after, bets: sortBets([...state.bets.filter((bet) => bet !== taken), ...laid],
    options.bet_tie) };
}

/** Who won, or how la vola went; nobody wins only where five players took a trick each. */
function isPossible({ winner, la_vola: vola, vole }, seats) {
  if (vole !== undefined || (winner === undefined) === (vola === undefined)) return false;
  return vola ? seats.includes(vola.player) : winner === null ? seats.length === TRICKS
    : seats.includes(winner);
}

const dealWithoutPayment = (type, more = {}, code = type) => ({
  outcome: { type, declarers: [], winner: null, la_vola: null, tricks: [], ...more }, code, postings: [],
  taken: null, laid: [],
});

/** Nobody won; and whether somebody pays for it all the same. */
const dealWithBet = (code, laid) => (laid.length === 0 ? code : `${code}_bet`);

/** An ordinary deal: the winner takes what is played for, whoever declared and failed lays a bet (§1.6). */
function wonDeal(state, { declarers, winner, tricks }) {
  const failed = declarers.filter((id) => id !== winner);
  // A-PP-4
  const spared = winner === null && failed.length === 2 && state.options.all_one_two_declarers === 'none';
  const laid = newBets(state, spared ? [] : failed);
  const code = winner === null ? dealWithBet('nobody', laid) : laid.length === 0 ? 'won_by_declarer'
    : declarers.includes(winner) ? 'won_by_one_of_two' : declarers.length > 1 ? 'won_by_third'
    : 'won_by_other';
  const { taken, postings } = winner === null ? { taken: null, postings: [] } : sweepPostings(state, winner);
  return {
    ...dealWithoutPayment(winner === null ? 'nobody' : 'won', { declarers, winner, tricks }, code),
    postings: [...postings, ...laid.flatMap((bet) => isPaid(state, bet))], taken, laid,
  };
}

/**
 * Won: the table, and as much from everybody. Lost: as an all-pass, but for what A-PP-8 lets a declarer pay
 * (§1.7).
 */
function laVolaDeal(state, { declarers, vola, result, tricks }) {
  const who = vola ?? result.la_vola.player;
  const { seats, options, amount_played_for: amount } = state;
  const more = { declarers, la_vola: who, tricks };
  if (result ? result.la_vola.won : tricks.every((id) => id === who)) {
    const legs = otherPlayers(who, seats).map((from) => ({ from, to: who, amount }));
    return { ...dealWithoutPayment('la_vola_won', { ...more, winner: who }), ...sweepPostings(state, who),
      legs, each: amount };
  }
  const pays = options.failed_vola_declarer_bet === 'bet' && declarers.includes(who);
  const laid = newBets(state, pays ? [who] : []);
  return { ...dealWithoutPayment('la_vola_lost', more, dealWithBet('la_vola_lost', laid)),
    postings: laid.flatMap((bet) => isPaid(state, bet)), laid };
}

/** The pot and the smallest bet to the winner (§1.6). */
function sweepPostings({ pot, bets: [smallest = null], options, deal: { number } }, winner) {
  // A-PP-3
  const [amount, code] = options.amount_basis === 'ante_only' ? [options.stake, 'stake_taken']
    : [pot, 'pot_taken'];
  const fromPot = posting(POT, playerAccount(winner), amount, code,
    { who: { winner }, numbers: { deal: number } });
  return { taken: smallest, postings: [fromPot, ...(smallest ? betPostings(winner, smallest) : [])] };
}

/** A bet that is only owed is paid now, each owner's part by himself, and nobody pays himself (A-PP-5). */
function betPostings(winner, bet) {
  const { by, amount, deal } = bet;
  const from = deal === 0 ? '_from_before' : '';
  const because = (payer) => ({ who: { winner, by, payer }, numbers: { deal } });
  if (bet.paid !== false)
    return [posting(betAccount(bet), playerAccount(winner), amount, `bet_taken${from}`, because())];
  return by.filter((owner) => owner !== winner)
    .map((owner) => posting(playerAccount(owner), playerAccount(winner),
      claimOwners(bet), `claim_taken${from}`, because(owner)));
}

/** One each, or one together where that is agreed (A-PP-2). */
function newBets({ options, amount_played_for: playedFor, deal: { number } }, failed) {
  const owners = options.merge_double_bets && failed.length === 2 ? [failed] : failed.map((id) => [id]);
  const penalty = options.bet_multiplier * playedFor; // A-PP-1
  return owners.map((by, place) => ({
    // A-PP-5
    id: `b${number}.${place + 1}`, amount: penalty * by.length, by, deal: number,
    paid: options.bet_payment === 'immediate',
  }));
}

const claimOwners = ({ amount, by }) => amount / by.length; // exact: everybody in a bet laid as much

function isPaid({ options, amount_played_for: playedFor }, bet) {
  const code = options.bet_multiplier === 1 ? 'bet_laid' : 'bet_laid_double';
  return !bet.paid ? [] : bet.by.map((loser) =>
    posting(playerAccount(loser), betAccount(bet), claimOwners(bet), code,
      { who: { loser }, amounts: { played_for: playedFor } }));
}

/** The two bets just laid become one, or the one becomes two again; null if they are so already (A-PP-2). */
function mergeBets(ended, together) {
  const { laid, postings } = ended;
  if (together === (laid.length === 1)) return null;
  const [first, second] = laid;
  const by = together ? second.by : first.by.slice(1);
  const moved = claimOwners(first) * by.length;
  const other = second ?? { ...first, id: `${first.id.split('.')[0]}.2`, by, amount: moved };
  const whole = { ...first, amount: 2 * moved, by: [first.by[0], ...by] };
  const rest = { ...first, amount: moved, by: first.by.slice(0, 1) };
  const [from, to] = together ? [other, first] : [first, other];
  const booked = posting(betAccount(from), betAccount(to), moved, together ? 'bets_merged' : 'bets_parted',
    { who: { by }, numbers: { deal: first.deal } });
  return { ...ended, laid: together ? [whole] : [rest, other],
    postings: first.paid ? [...postings, booked] : postings };
}

/**
 * Smallest first; among equals the oldest or the newest deal; within a deal as laid (A-PP-6). Who owes is
 * said only where somebody does.
 */
function sortBets(all, tie) {
  const age = tie === 'oldest' ? 1 : -1;
  const owed = all.some(({ paid }) => paid === false);
  return all.toSorted((one, other) => one.amount - other.amount || age * (one.deal - other.deal))
    .map(({ paid = true, ...bet }) => (owed ? { ...bet, paid } : bet));
}
