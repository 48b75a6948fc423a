// The forecast of Polskt pass: a pot, and a stack of bets of which the smallest is played for (docs/rules.md
// §1.5–1.8).

import { TRICKS, otherPlayers, readFiveTricks } from '../domain/deal.js';
import { MAX_AMOUNT, POT, betAccount, playerAccount, posting } from './forecast.js';

/** See forecast.js. Actions after the end merge the bets just laid, or split them. */
export function forecastPolsktPass(state, actions) {
  const { seats, amount_played_for: playedFor, options } = state;
  const mergePlace = actions.findIndex(({ type }) => type === 'merge');
  const [dealActions, merges] = mergePlace < 0 ? [actions, []]
    : [actions.slice(0, mergePlace), actions.slice(mergePlace)];
  const deal = readFiveTricks(state, dealActions,
    { call: 'la_vola', twoMayDeclare: true, fits: (result) => isPossible(result, seats) });
  if (deal === null || options.bet_multiplier * playedFor > MAX_AMOUNT) return null;
  const endedDeal = deal.passed ? dealWithoutPayment('all_pass') : deal.vola || deal.result?.la_vola
    ? laVolaDeal(state, deal) : wonDeal(state, deal);
  const bothLost = endedDeal.laid.length > 0 && deal.declarers.length === 2
    && !deal.declarers.includes(endedDeal.outcome.winner) && !endedDeal.outcome.la_vola;
  const mergedDeal = merges.reduce((merged, { type, together = true }) =>
    (merged && bothLost && type === 'merge' ? mergeBets(merged, together) : null), endedDeal);
  if (!mergedDeal) return null;
  const { taken: betTaken, laid } = mergedDeal;
  const bets = [...state.bets.filter((bet) => bet !== betTaken), ...laid];
  return { ...mergedDeal, bets: sortBets(bets, options.bet_tie) };
}

/** Whether the result is possible; nobody wins only where five players took a trick each. */
function isPossible({ winner, la_vola: vola, vole }, seats) {
  if (vole !== undefined || (winner === undefined) === (vola === undefined)) return false;
  return vola ? seats.includes(vola.player) : winner === null ? seats.length === TRICKS
    : seats.includes(winner);
}

const dealWithoutPayment = (type, facts = {}, code = type) => ({
  outcome: { type, declarers: [], winner: null, la_vola: null, tricks: [], ...facts }, code, postings: [],
  taken: null, laid: [],
});

/** The sentence of a deal without a winner, in which a bet may be laid all the same. */
const codeWithBet = (code, laid) => (laid.length === 0 ? code : `${code}_bet`);

/** An ordinary deal: the winner takes the amount played for; a declarer who failed lays a bet (§1.6). */
function wonDeal(state, { declarers, winner, tricks }) {
  const failed = declarers.filter((id) => id !== winner);
  // A-PP-4: with a trick each, two declarers may pay nothing.
  const spared = winner === null && failed.length === 2 && state.options.all_one_two_declarers === 'none';
  const laid = newBets(state, spared ? [] : failed);
  const code = winner === null ? codeWithBet('nobody', laid) : laid.length === 0 ? 'won_by_declarer'
    : declarers.includes(winner) ? 'won_by_one_of_two' : declarers.length > 1 ? 'won_by_third'
    : 'won_by_other';
  const { taken: betTaken, postings } = winner === null ? { taken: null, postings: [] }
    : sweepPostings(state, winner);
  return {
    ...dealWithoutPayment(winner === null ? 'nobody' : 'won', { declarers, winner, tricks }, code),
    postings: [...postings, ...laid.flatMap((bet) => layPostings(state, bet))], taken: betTaken, laid,
  };
}

/**
 * La vola. Won: the amount played for, and as much from every other player. Lost: as an all-pass, except for
 * what A-PP-8 makes a declarer pay (§1.7).
 */
function laVolaDeal(state, { declarers, vola, result, tricks }) {
  const announcer = vola ?? result.la_vola.player;
  const { seats, options, amount_played_for: amount } = state;
  const facts = { declarers, la_vola: announcer, tricks };
  if (result ? result.la_vola.won : tricks.every((id) => id === announcer)) {
    const legs = otherPlayers(announcer, seats).map((payer) => ({ from: payer, to: announcer, amount }));
    return { ...dealWithoutPayment('la_vola_won', { ...facts, winner: announcer }),
      ...sweepPostings(state, announcer), legs, each: amount };
  }
  const pays = options.failed_vola_declarer_bet === 'bet' && declarers.includes(announcer);
  const laid = newBets(state, pays ? [announcer] : []);
  return { ...dealWithoutPayment('la_vola_lost', facts, codeWithBet('la_vola_lost', laid)),
    postings: laid.flatMap((bet) => layPostings(state, bet)), laid };
}

/** The pot and the smallest bet go to the winner (§1.6). */
function sweepPostings({ pot, bets: [smallest = null], options, deal: { number } }, winner) {
  // A-PP-3: the winner may take the stake only, and not the rest of the pot.
  const [amount, code] = options.amount_basis === 'ante_only' ? [options.stake, 'stake_taken']
    : [pot, 'pot_taken'];
  const fromPot = posting(POT, playerAccount(winner), amount, code,
    { who: { winner }, numbers: { deal: number } });
  return { taken: smallest, postings: [fromPot, ...(smallest ? betPostings(winner, smallest) : [])] };
}

/** A bet that was owed is paid now, by each owner for his part; the winner pays himself nothing (A-PP-5). */
function betPostings(winner, bet) {
  const { by, amount, deal } = bet;
  const suffix = deal === 0 ? '_from_before' : '';
  const because = (payer) => ({ who: { winner, by, payer }, numbers: { deal } });
  if (bet.paid !== false)
    return [posting(betAccount(bet), playerAccount(winner), amount, `bet_taken${suffix}`, because())];
  return by.filter((owner) => owner !== winner)
    .map((owner) => posting(playerAccount(owner), playerAccount(winner),
      amountPerOwner(bet), `claim_taken${suffix}`, because(owner)));
}

/** One bet each, or one together where that is agreed (A-PP-2). */
function newBets({ options, amount_played_for: playedFor, deal: { number } }, failed) {
  const owners = options.merge_double_bets && failed.length === 2 ? [failed] : failed.map((id) => [id]);
  const penalty = options.bet_multiplier * playedFor; // A-PP-1
  return owners.map((owner, place) => ({
    id: `b${number}.${place + 1}`, amount: penalty * owner.length, by: owner, deal: number,
    paid: options.bet_payment === 'immediate', // A-PP-5
  }));
}

const amountPerOwner = ({ amount, by }) => amount / by.length; // exact: the owners of a bet laid equal parts

function layPostings({ options, amount_played_for: playedFor }, bet) {
  const code = options.bet_multiplier === 1 ? 'bet_laid' : 'bet_laid_double';
  return !bet.paid ? [] : bet.by.map((loser) =>
    posting(playerAccount(loser), betAccount(bet), amountPerOwner(bet), code,
      { who: { loser }, amounts: { played_for: playedFor } }));
}

/** Merges the two bets just laid, or splits the merged one; null if they are so already (A-PP-2). */
function mergeBets(endedDeal, together) {
  const { laid, postings } = endedDeal;
  if (together === (laid.length === 1)) return null;
  const [firstBet, secondBet] = laid;
  const owners = together ? secondBet.by : firstBet.by.slice(1);
  const movedAmount = amountPerOwner(firstBet) * owners.length;
  const otherBet = secondBet
    ?? { ...firstBet, id: `${firstBet.id.split('.')[0]}.2`, by: owners, amount: movedAmount };
  const mergedBet = { ...firstBet, amount: 2 * movedAmount, by: [firstBet.by[0], ...owners] };
  const rest = { ...firstBet, amount: movedAmount, by: firstBet.by.slice(0, 1) };
  const [source, target] = together ? [otherBet, firstBet] : [firstBet, otherBet];
  const booked = posting(betAccount(source), betAccount(target), movedAmount,
    together ? 'bets_merged' : 'bets_parted', { who: { by: owners }, numbers: { deal: firstBet.deal } });
  return { ...endedDeal, laid: together ? [mergedBet] : [rest, otherBet],
    postings: firstBet.paid ? [...postings, booked] : postings };
}

/**
 * Smallest first; among equals the oldest or the newest deal, within a deal as laid (A-PP-6). `paid` is left
 * out when every bet is paid.
 */
function sortBets(bets, tie) {
  const age = tie === 'oldest' ? 1 : -1;
  const owed = bets.some(({ paid }) => paid === false);
  return bets.toSorted((bet, otherBet) => bet.amount - otherBet.amount || age * (bet.deal - otherBet.deal))
    .map(({ paid = true, ...bet }) => (owed ? { ...bet, paid } : bet));
}
