// The postings of an event: the amounts that it moves between accounts (ledger/projections/postings.py).

import { EVENTS_WITHOUT_POSTINGS, fitEvent } from './event_shapes.js';

export const PLAY_EVENTS = new Set([
  ...['deal_opened', 'pot_taken', 'bet_taken', 'bet_laid', 'bets_merged', 'bets_parted'],
  ...['penalty_paid', 'scored', 'pot_shared', 'bet_shared', 'bet_collected', 'points_paid'],
]);
export const UNDO_EVENTS = new Set(['action_undone', 'deal_voided', 'session_reopened']);
export const CORRECTION_EVENTS = new Set(['deal_corrected', 'correction_undone']);

export const isPointPosting = (account) => account === 'sheet' || account.startsWith('score:');

// Returns the postings, [from, to, amount]; the amount is a BigInt above zero. Throws TypeError if the data
// has another shape.
export function postingsOf(kind, data) {
  const fields = fitEvent(kind, data);
  if (EVENTS_WITHOUT_POSTINGS.has(kind)) return [];
  return SIGNED_KINDS[kind](fields)
    .map(([source, target, amount]) => (amount < 0n ? [target, source, -amount] : [source, target, amount]))
    .filter(([, , amount]) => amount);
}

const postingsOfFact = (fact) => postingsOf(fact.get('type'), fact);
const amount = (data, name = 'amount') => BigInt(data.get(name));
const player = (data, name = 'player') => `player:${data.get(name)}`;
const bet = (data, name = 'bet') => `bet:${data.get(name)}`;
const isPaid = (data) => data.get('paid');
const betAmount = (data) => amount(data, 'each') * BigInt(data.get('by').length);
const ownerPostings = (data) => data.get('by').map((owner) =>
  [`player:${owner}`, bet(data), amount(data, 'each')]);
const sharePostings = (data, source) => data.get('shares')
  .map((share) => [source, player(share), amount(share)]);

// By event type, the postings with signed amounts; a negative amount moves the other way.
const SIGNED_KINDS = {
  __proto__: null,
  deal_opened: (data) => [[player(data, 'dealer'), 'pot', amount(data, 'stake')]],
  pot_taken: (data) => [['pot', player(data), amount(data)]],
  bet_taken: (data) => (isPaid(data)
    ? [[bet(data), player(data), betAmount(data)]]
    : data.get('by').filter((owner) => owner !== data.get('player'))
      .map((owner) => [`player:${owner}`, player(data), amount(data, 'each')])),
  bet_laid: (data) => (isPaid(data) ? ownerPostings(data) : []),
  bet_collected: ownerPostings,
  bets_merged: (data) => [[bet(data, 'added'), bet(data), isPaid(data) ? betAmount(data) : 0n]],
  bets_parted: (data) => [[bet(data), bet(data, 'parted'), isPaid(data) ? betAmount(data) : 0n]],
  penalty_paid: (data) => [[player(data), 'pot', amount(data)]],
  scored: (data) => [['sheet', `score:${data.get('to')}`, amount(data, 'points')]],
  points_paid: (data) =>
    [[player(data, 'payer'), player(data, 'payee'), amount(data, 'points') * amount(data, 'value')]],
  pot_shared: (data) => sharePostings(data, 'pot'),
  bet_shared: (data) => sharePostings(data, bet(data)),
  session_opened: startPostings,
  payment_settled: (data) => [[player(data, 'payer'), player(data, 'payee'), amount(data)]],
  // paying raises a balance
  transfer_recorded: (data) => [[player(data, 'payee'), player(data, 'payer'), amount(data)]],
  cost_recorded: costPostings,
  cost_voided: undoPostings,
  brought_forward: carriedPostings,
  deal_corrected: correctionPostings,
  correction_undone: correctionPostings,
  action_undone: undoPostings,
  deal_voided: undoPostings,
  session_reopened: undoPostings,
};

function correctionPostings(data) {
  return data.get('rescored').flatMap(postingsDifference);
}

function costPostings(data) {
  return data.get('shares').filter((share) => share.get('player') !== data.get('payer'))
    .map((share) => [player(share), player(data, 'payer'), amount(share)]);
}

function undoPostings(data) {
  const lines = [...data.get('took_back')].reverse().flatMap((fact) => postingsOfFact(fact).reverse());
  return lines.map(([source, target, n]) => [target, source, n]);
}

// In the order of the seats: in the stored JSON the keys are sorted as text, p10 before p2.
function startPostings(data) {
  const [start, seats] = [data.get('start'), data.get('players')];
  const seat = (contestant) => seats.indexOf(contestant.split('+')[0]);
  if ([...start.keys()].some((contestant) => seat(contestant) < 0)) throw new TypeError('start');
  return [...start.keys()].sort((seatedPlayer, nextPlayer) => seat(seatedPlayer) - seat(nextPlayer))
    .map((contestant) => ['sheet', `score:${contestant}`, amount(start, contestant)]);
}

function carriedPostings(data) {
  const balances = [...data.get('balances')].sort(([seatedPlayer], [nextPlayer]) =>
    Number(seatedPlayer.slice(1)) - Number(nextPlayer.slice(1)));
  return [
    ...balances.map(([playerId, n]) => ['brought', `player:${playerId}`, BigInt(n)]),
    ['brought', 'pot', amount(data, 'pot')],
    ...data.get('bets').filter((heldBet) => heldBet.get('paid'))
      .map((heldBet) => ['brought', bet(heldBet), betAmount(heldBet)]),
  ];
}

// The fewest postings that change the deal's effect from the old facts (`was`) to the new ones.
export function postingsDifference(rescored) {
  const amounts = new Map();
  for (const [facts, sign] of [['was', -1n], ['facts', 1n]]) {
    for (const [source, target, n] of rescored.get(facts).flatMap(postingsOfFact)) {
      amounts.set(source, (amounts.get(source) ?? 0n) - sign * n);
      amounts.set(target, (amounts.get(target) ?? 0n) + sign * n);
    }
  }
  return [false, true].flatMap((points) => {
    const balances = [...amounts].filter(([account, n]) => n && isPointPosting(account) === points);
    const debits = balances.filter(([, n]) => n < 0n).map(([account, n]) => [account, -n]);
    return matchAmounts(debits, balances.filter(([, n]) => n > 0n));
  });
}

// The fewest postings that move what the debits lack to the credits; both are changed.
function matchAmounts(debits, credits) {
  const postings = [];
  while (debits.length && credits.length) {
    const n = debits[0][1] < credits[0][1] ? debits[0][1] : credits[0][1];
    postings.push([debits[0][0], credits[0][0], n]);
    for (const side of [debits, credits]) {
      side[0][1] -= n;
      if (!side[0][1]) side.shift();
    }
  }
  return postings;
}

// The number of postings that a deal's facts make.
export const postingCount = (facts) => facts.flatMap(postingsOfFact).length;
