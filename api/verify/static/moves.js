// What an event moves: from one account to another, so much (ledger/projections/postings.py).

export class Unknown extends Error {}

export const PLAY = new Set([
  ...['deal_opened', 'pot_taken', 'bet_taken', 'bet_laid', 'bets_merged', 'bets_parted'],
  ...['penalty_paid', 'scored', 'pot_shared', 'bet_shared', 'bet_collected', 'points_paid'],
]);
export const UNDOING = new Set(['action_undone', 'deal_voided', 'session_reopened']);
export const CORRECTING = new Set(['deal_corrected', 'correction_undone']);
export const SILENT = new Set([
  ...['reseated', 'declared', 'all_passed', 'trick_recorded', 'la_vola_announced'],
  ...['vole_announced', 'side_bid_made', 'redeal_claimed', 'cards_swapped', 'swap_declined'],
  ...['tricks_counted', 'stayed', 'passed', 'cards_exchanged', 'turn_up_exchanged', 'game_won'],
  ...['play_finished', 'result_recorded', 'cut_shown', 'card_turned_up', 'turn_up_taken'],
  ...['turn_up_declined', 'bid_made', 'card_discarded', 'card_played', 'hand_shown'],
  ...['cutter_took', 'dealer_took', 'trick_won', 'la_vola_won', 'deal_closed', 'bet_waived'],
  ...['evening_closed', 'player_joined', 'carried_forward'],
]);

export const ofPoints = (account) => account === 'sheet' || account.startsWith('score:');

// A member that has to be there: what has another shape is a TypeError.
export function member(said, name) {
  if (!(said instanceof Map) || !said.has(name)) throw new TypeError(name);
  return said.get(name);
}

// [from, to, amount], the amount a BigInt and more than nothing.
export function moves(kind, said) {
  if (SILENT.has(kind)) return [];
  if (!(kind in SIGNED)) throw new Unknown(kind);
  return SIGNED[kind](said)
    .map(([from, to, amount]) => (amount < 0n ? [to, from, -amount] : [from, to, amount]))
    .filter(([, , amount]) => amount);
}

function whole(value) {
  if (typeof value !== 'number') throw new TypeError('amount');
  return BigInt(value);
}

const movesOf = (fact) => moves(member(fact, 'type'), fact);
const amount = (said, name = 'amount') => whole(member(said, name));
const player = (said, name = 'player') => `player:${member(said, name)}`;
const bet = (said, name = 'bet') => `bet:${member(said, name)}`;
const paid = (said) => said.get('paid') ?? true;
const together = (said) => amount(said, 'each') * BigInt(member(said, 'by').length);
const owners = (said) => member(said, 'by').map((owner) => [`player:${owner}`, bet(said), amount(said, 'each')]);
const shares = (said, from) => member(said, 'shares').map((one) => [from, player(one), amount(one)]);

// Where less than nothing goes, it goes the other way.
const SIGNED = {
  __proto__: null,
  deal_opened: (said) => [[player(said, 'dealer'), 'pot', whole(said.get('stake') ?? 0)]],
  pot_taken: (said) => [['pot', player(said), amount(said)]],
  bet_taken: (said) => (paid(said)
    ? [[bet(said), player(said), together(said)]]
    : member(said, 'by').filter((owner) => owner !== member(said, 'player'))
      .map((owner) => [`player:${owner}`, player(said), amount(said, 'each')])),
  bet_laid: (said) => (paid(said) ? owners(said) : []),
  bet_collected: owners,
  bets_merged: (said) => [[bet(said, 'added'), bet(said), paid(said) ? together(said) : 0n]],
  bets_parted: (said) => [[bet(said), bet(said, 'parted'), paid(said) ? together(said) : 0n]],
  penalty_paid: (said) => [[player(said), 'pot', amount(said)]],
  scored: (said) => [['sheet', `score:${member(said, 'to')}`, amount(said, 'points')]],
  points_paid: (said) => [[player(said, 'payer'), player(said, 'payee'), amount(said, 'points') * amount(said, 'value')]],
  pot_shared: (said) => shares(said, 'pot'),
  bet_shared: (said) => shares(said, bet(said)),
  session_opened: started,
  payment_settled: (said) => [[player(said, 'payer'), player(said, 'payee'), amount(said)]],
  transfer_recorded: (said) => [[player(said, 'payee'), player(said, 'payer'), amount(said)]], // paying raises a balance
  brought_forward: brought,
  deal_corrected: corrected,
  correction_undone: corrected,
  action_undone: takenBack,
  deal_voided: takenBack,
  session_reopened: takenBack,
};

function corrected(said) {
  return member(said, 'rescored').flatMap(difference);
}

function takenBack(said) {
  const lines = [...member(said, 'took_back')].reverse().flatMap((fact) => movesOf(fact).reverse());
  return lines.map(([from, to, n]) => [to, from, n]);
}

// As they sit: what is stored is sorted as text, p10 before p2.
function started(said) {
  const [start, seats] = [said.get('start') ?? new Map(), member(said, 'players')];
  const seat = (keeper) => seats.indexOf(keeper.split('+')[0]);
  return [...start.keys()].sort((one, other) => seat(one) - seat(other))
    .map((keeper) => ['sheet', `score:${keeper}`, amount(start, keeper)]);
}

function brought(said) {
  const held = [...member(said, 'balances')].sort(([one], [other]) => Number(one.slice(1)) - Number(other.slice(1)));
  return [
    ...held.map(([who, n]) => ['brought', `player:${who}`, whole(n)]),
    ['brought', 'pot', amount(said, 'pot')],
    ...member(said, 'bets').filter((one) => member(one, 'paid')).map((one) => ['brought', bet(one), together(one)]),
  ];
}

// As few moves as lead from what a deal had come to, to what it comes to now.
export function difference(again) {
  const held = new Map();
  for (const [facts, sign] of [['was', -1n], ['facts', 1n]]) {
    for (const [from, to, n] of member(again, facts).flatMap(movesOf)) {
      held.set(from, (held.get(from) ?? 0n) - sign * n);
      held.set(to, (held.get(to) ?? 0n) + sign * n);
    }
  }
  return [false, true].flatMap((points) => {
    const mine = [...held].filter(([account, n]) => n && ofPoints(account) === points);
    const giving = mine.filter(([, n]) => n < 0n).map(([account, n]) => [account, -n]);
    return evened(giving, mine.filter(([, n]) => n > 0n));
  });
}

function evened(giving, getting) {
  const made = [];
  while (giving.length && getting.length) {
    const n = giving[0][1] < getting[0][1] ? giving[0][1] : getting[0][1];
    made.push([giving[0][0], getting[0][0], n]);
    for (const side of [giving, getting]) {
      side[0][1] -= n;
      if (!side[0][1]) side.shift();
    }
  }
  return made;
}

// How many lines a deal's facts booked.
export const booked = (facts) => facts.flatMap(movesOf).length;
