// The shape of every event type: the fields from which postings are computed. The ledger writes no others
// (engine/events, ledger/events/event_types.py); whatever else an event has moves nothing. verify.py has the
// same table (api/verify/program/movements.py).

import { amount, listOf, mapOf, natural, object, orNull, player, text, version } from './shapes.js';

export class UnknownEvent extends Error {}

export const EVENTS_WITHOUT_POSTINGS = new Set([
  ...['reseated', 'declared', 'all_passed', 'trick_recorded', 'la_vola_announced'],
  ...['vole_announced', 'side_bid_made', 'redeal_claimed', 'cards_swapped', 'swap_declined'],
  ...['tricks_counted', 'stayed', 'passed', 'cards_exchanged', 'turn_up_exchanged', 'game_won'],
  ...['play_finished', 'result_recorded', 'cut_shown', 'card_turned_up', 'turn_up_taken'],
  ...['turn_up_declined', 'bid_made', 'card_discarded', 'card_played', 'hand_shown'],
  ...['cutter_took', 'dealer_took', 'trick_won', 'la_vola_won', 'deal_closed', 'bet_waived'],
  ...['evening_closed', 'player_joined', 'carried_forward'],
]);

export const SCHEMA = 1;
const facts = listOf(mapOf(() => true)); // each of them is an event, with its type
const boolean = (value) => typeof value === 'boolean';
const amountsByPlayer = (value) => mapOf(amount)(value) && [...value.keys()].every(player);
const DEAL_AMOUNT = { deal: version, player, amount: natural };
const STAKED = { bet: version, by: listOf(player), each: natural };
const CARRIED = { ...STAKED, paid: boolean };
const BET = { ...CARRIED, deal: version };
const SHARE = { player, amount: natural };
const SHARES = { shares: listOf(object(SHARE)) };
const PAYMENT = { payer: player, payee: player, amount: natural };
const UNDOING = { deal: orNull(version), took_back: facts };
const RESCORED = { deal: version, was: facts, facts };
const CORRECTION = { rescored: listOf(object(RESCORED)) };
const SHAPES = new Map(Object.entries({
  ...Object.fromEntries([...EVENTS_WITHOUT_POSTINGS].map((kind) => [kind, {}])),
  session_opened: { game: text, currency: text, players: listOf(player), start: mapOf(amount) },
  deal_opened: { number: version, dealer: player, stake: natural },
  pot_taken: DEAL_AMOUNT,
  bet_taken: { ...BET, player },
  bet_laid: BET,
  bets_merged: { ...BET, added: version },
  bets_parted: { ...BET, parted: version },
  penalty_paid: DEAL_AMOUNT,
  scored: { deal: version, to: text, points: amount },
  pot_shared: SHARES,
  bet_shared: { bet: version, ...SHARES },
  bet_collected: STAKED,
  points_paid: { payer: player, payee: player, points: natural, value: natural },
  payment_settled: { deal: version, ...PAYMENT },
  transfer_recorded: PAYMENT,
  cost_recorded: { payer: player, ...SHARES },
  cost_voided: { recorded_version: version, took_back: facts },
  brought_forward: { balances: amountsByPlayer, pot: natural, bets: listOf(object(CARRIED)) },
  deal_corrected: CORRECTION,
  correction_undone: CORRECTION,
  action_undone: UNDOING,
  deal_voided: UNDOING,
  session_reopened: { took_back: facts },
}));
const DEFAULTS = [['stake', 0], ['paid', true], ['start', new Map()]]; // of fields that are not written

// Returns the event's fields of which postings are computed, as a Map. Throws TypeError for another shape.
export function fitEvent(kind, data) {
  if (!text(kind)) throw new TypeError('type');
  const shape = SHAPES.get(kind);
  if (!shape) throw new UnknownEvent(kind);
  const fields = data instanceof Map ? new Map([...DEFAULTS, ...data]) : null;
  if (!object(shape)(fields)) throw new TypeError(kind);
  return new Map(Object.keys(shape).map((name) => [name, fields.get(name) ?? null]));
}
