// Deals that wait on this device and get another number or another dealer: each action keeps its player, and
// the players call and exchange in the order that follows from the dealer.

import { sideMembers } from './amounts.js';
import { cutterOf, dealOfWrite, forehandOf, playedActions, seatsFrom } from './deal.js';

/**
 * Gives the deal of a write its new number, and its calls and exchanges the order of the dealer whom it has
 * then. `newNumber(write)`: the number, or null if the write stays as it is; so does one in which nothing
 * changes. `waiting`: the writes of the session that are to wait.
 */
export function renumberWrite(write, newNumber, { session, waiting }) {
  const { body, note } = write;
  const number = newNumber(write);
  if (number === null) return write;
  // The stored state that the undo would reopen is no longer valid, so `back` is dropped.
  if (note.undoes !== undefined) return { ...write, note: { undoes: number } };
  const allPassed = waiting.filter((item) => opensDeal(item) && isPassed(writesOfDeal(item, waiting)))
    .map((item) => newNumber(item) ?? dealOfWrite(item));
  const { heard, taps } = movedParts(writesOfDeal(write, waiting), write, number, session, allPassed);
  const isUnmoved = JSON.stringify([taps, note.heard && heard])
    === JSON.stringify([playedActions(body), note.heard]);
  if (number === dealOfWrite(write) && isUnmoved) return write;
  const opening = body.actions.filter(({ type }) => type === 'open_deal')
    .map((action) => ({ ...action, number }));
  return { ...write, body: { ...body, actions: [...opening, ...taps] },
    note: { ...note, ...(note.heard && { heard }), ...(note.taps && { taps }), number } };
}

/** The actions of one of a deal's writes when the deal has this number, and those of the deal before it. */
function movedParts(writes, write, number, session, allPassed) {
  const before = writes[0].note.heard ?? [];
  const parts = writes.map(({ body }) => playedActions(body));
  const mayMove = opensDeal(writes[0]) && number >= session.deal.number;
  const actions = mayMove ? fitTurns(parts.flat(), dealerOf(number, session, allPassed), session.seats)
    : [...before, ...parts.flat()];
  const place = writes.indexOf(write);
  const start = [before, ...parts.slice(0, place)].flat().length;
  return { heard: actions.slice(0, start), taps: actions.slice(start, start + parts[place].length) };
}

export const opensDeal = ({ body }) => body?.actions?.[0].type === 'open_deal';

/** The writes that record the same deal as this one; another tab may have recorded one with its number. */
function writesOfDeal(write, waiting) {
  const ofNumber = waiting.filter((item) => dealOfWrite(item) === dealOfWrite(write));
  const place = ofNumber.indexOf(write);
  if (place < 0) return [write];
  const start = Math.max(0, ofNumber.findLastIndex((item, index) => index <= place && opensDeal(item)));
  const end = ofNumber.findIndex((item, index) => index > start && opensDeal(item));
  return ofNumber.slice(start, end < 0 ? ofNumber.length : end);
}

/** The dealer of a deal that waits, counted from the deal that is next, or open. */
function dealerOf(number, { seats, options, deal }, allPassed) {
  const keptDealer = options.all_pass_dealer !== 'same' ? [] // A-KP-7
    : allPassed.filter((passed) => passed >= deal.number && passed < number);
  return seatsFrom(deal.dealer, seats)[(number - deal.number - keptDealer.length) % seats.length];
}

const isPassed = (writes) => writes.flatMap(({ body }) => playedActions(body))
  .every(({ type }) => type === 'pass' || type === 'all_pass');

const TURNS = { stay: 'call', pass: 'call', side_bid: 'call', exchange: 'exchange' };
/** Whether this is the exchange that the dealer alone may make. */
export const isTurnUpSwap = ({ turn_up: swaps }) => swaps === true;

/** The dealer of the deal that these actions are from, in Spader perhaps the partner; null if none tells. */
function dealerOfActions(actions, seats) {
  const swap = actions.find(isTurnUpSwap);
  const call = actions.find(({ type }) => TURNS[type] === 'call');
  if (swap) return swap.player;
  return call ? cutterOf(seats, playersOf(call)[0]) : null;
}

/** Whether the calls of these actions follow from another dealer than this one. */
export const hasOtherTurns = (actions, dealer, seats) =>
  ![null, dealer].includes(dealerOfActions(actions, seats));

const playersOf = ({ player, side }) => (side ? sideMembers(side) : [player]);

/** The actions of a deal with each round of calls or exchanges in the order that follows from this dealer. */
export function fitTurns(actions, dealer, seats) {
  if (!hasOtherTurns(actions, dealer, seats)) return actions;
  const recordedDealer = dealerOfActions(actions, seats);
  const placeFor = (dealerOfOrder) => {
    const order = seatsFrom(forehandOf({ seats, deal: { dealer: dealerOfOrder } }), seats);
    return (action) => Math.min(...playersOf(action).map((player) => order.indexOf(player)));
  };
  const [place, newPlace] = [recordedDealer, dealer].map(placeFor);
  const rounds = [];
  for (const action of actions) {
    const turn = TURNS[action.type];
    const round = rounds.at(-1);
    const isNext = turn === 'call' || (turn && place(action) > place(round?.actions.at(-1) ?? action));
    if (isNext && round?.turn === turn) round.actions.push(action);
    else rounds.push({ turn, actions: [action] });
  }
  return rounds.flatMap(({ turn, actions: inRound }) =>
    (turn ? inRound.toSorted((action, nextAction) => newPlace(action) - newPlace(nextAction)) : inRound));
}
