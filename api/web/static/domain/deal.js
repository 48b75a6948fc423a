// A deal: its cards, its seats, and a deal of five tricks, read from its actions: what they add up to, what
// may be tapped next, and whether the server would refuse one of them. The server decides; this only keeps
// the form from offering what it would refuse (docs/rules.md §1.4–1.7, §2.2). Also the deal that a write is
// about while it waits on this device.

export const TRICKS = 5;

/** The announcement of all five tricks, by its name in either game. */
const VOLA_CALLS = ['la_vola', 'vole'];

/** The first player with three tricks, else the first with two; null if five players took one each. */
function winnerOf(tricks) {
  const trickCounts = new Map();
  for (const player of tricks) trickCounts.set(player, (trickCounts.get(player) ?? 0) + 1);
  for (const [player, count] of trickCounts) if (count >= 3) return player;
  const oncePlayers = new Set();
  for (const player of tricks) {
    if (oncePlayers.has(player)) return player;
    oncePlayers.add(player);
  }
  return null;
}

/** The winner whom no remaining trick can change; undefined while it is open. */
function certainWinner(tricks, seats) {
  if (tricks.length === TRICKS) return winnerOf(tricks);
  let certain;
  for (const player of seats) {
    const winner = certainWinner([...tricks, player], seats);
    if (winner === undefined || (certain !== undefined && winner !== certain)) return undefined;
    certain = winner;
  }
  return certain;
}

/**
 * Reads a deal's actions (without `open_deal`) in order. `phase`: declare → play → closed. `mayVola`,
 * `mayFinish`: the player for whom that tap is allowed now. `soloist`: only the declarer may announce.
 * `playOn`: a trick lost after the announcement does not end the deal.
 */
export function readDeal(actions, { seats, earlyEnd = true, soloist = false, playOn = false }) {
  const deal = { declarers: [], trump: null, tricks: [], vola: null, call: 'la_vola', result: null,
    passed: false, finished: false };
  for (const action of actions) {
    if (action.type === 'declare')
      Object.assign(deal, { declarers: action.players, trump: action.trump ?? null });
    else if (action.type === 'all_pass') deal.passed = true;
    else if (action.type === 'trick') deal.tricks.push(action.winner);
    else if (VOLA_CALLS.includes(action.type))
      Object.assign(deal, { vola: action.player, call: action.type });
    else if (action.type === 'finish') deal.finished = true;
    else if (action.type === 'result') deal.result = action;
  }
  const { tricks, vola } = deal;
  const volaLost = vola !== null && !playOn && tricks.some((winner) => winner !== vola);
  const closed = deal.passed || deal.finished || deal.result !== null || volaLost || tricks.length === TRICKS;
  const onLead = tricks.length === 2 && tricks[0] === tricks[1] && vola === null
    && (!soloist || deal.declarers.includes(tricks[0]));
  const everyTrick = vola !== null && tricks.every((winner) => winner === vola); // the next trick decides
  const certain = !everyTrick && tricks.length > 2 && earlyEnd ? certainWinner(tricks, seats) : undefined;
  return {
    ...deal,
    phase: closed ? 'closed' : deal.declarers.length === 0 ? 'declare' : 'play',
    mayVola: !closed && onLead ? tricks[0] : null,
    mayFinish: !closed && certain !== undefined ? certain : null,
  };
}

/** Recorded actions without the opening. */
export const playedActions = (recorded) => (recorded.actions ?? [])
  .filter((action) => action.type !== 'open_deal');

/** The actions of a deal after these, which may take some back. */
export const actionsAfter = (actions, added) => added.reduce((remaining, action) =>
  (action.type === 'undo' ? remaining.slice(0, -1) : [...remaining, action]), actions);

/** False for a deal that is recorded card by card elsewhere: this form cannot continue it. */
export const isUnderstood = (actions) => actions.every((action) =>
  ['declare', 'all_pass', 'trick', ...VOLA_CALLS, 'finish', 'result'].includes(action.type));

/** The whole deal as one batch, or only the new actions when the server has opened it already. */
export function dealBatch(number, taps, alreadyOpen) {
  return alreadyOpen ? taps : [{ type: 'open_deal', number }, ...taps];
}

/** The deal tapped here; `winner` is undefined while it is open, `won` while an announced la vola is. */
export function versionOfTaps(actions, state, terms) {
  const deal = readDeal(actions, { seats: state.seats, ...terms });
  const { passed, declarers, trump, tricks, result } = deal;
  const call = result?.la_vola ?? result?.vole;
  const vola = call?.player ?? deal.vola;
  const lost = tricks.some((winner) => winner !== vola);
  const won = call ? call.won : lost ? false : tricks.length === TRICKS || undefined;
  const winner = result ? result.winner : certainWinner(tricks, state.seats);
  return { passed, declarers, trump, tricks, vola, won, winner, whole: deal.phase === 'closed' };
}

/** The recorded deal, at whichever depth it was recorded. */
export function versionOfRecord(record, terms) {
  const { type, declarers = [], tricks = [], la_vola: vola = null, winner } = record.outcome;
  const { trump } = readDeal(playedActions(record), { seats: [], earlyEnd: false, ...terms });
  return { passed: type === 'all_pass', declarers, trump, tricks, vola, won: type === 'la_vola_won', winner,
    whole: true };
}

/** The number of the deal that was opened last; 0 before the first. */
export const lastDealNumber = ({ deal: { number, phase } }) => (phase === 'waiting' ? number - 1 : number);

export const samePlayers = (players, otherPlayers) =>
  players.toSorted().join() === otherPlayers.toSorted().join();

/** Whether nothing tapped here contradicts the record. */
export function dealsAgree(actions, record, state, terms) {
  if (!record?.outcome?.type) return false; // open or voided
  if (!terms) {
    const recordedActions = playedActions(record);
    return actions.every((action, place) =>
      JSON.stringify(action) === JSON.stringify(recordedActions[place]));
  }
  const tapped = versionOfTaps(actions, state, terms);
  const recorded = versionOfRecord(record, terms);
  if (tapped.passed || recorded.passed) return tapped.passed === recorded.passed;
  if (!samePlayers(tapped.declarers, recorded.declarers)
    || (tapped.trump && recorded.trump && tapped.trump !== recorded.trump)) return false;
  if (differentTricks(tapped, recorded).length > 0) return false;
  if (tapped.vola ? tapped.vola !== recorded.vola || ![undefined, recorded.won].includes(tapped.won)
    : recorded.vola && tapped.tricks.length > 2) return false;
  return tapped.vola || recorded.vola || [undefined, recorded.winner].includes(tapped.winner);
}

/** The tricks that both versions know and that different players won. */
export const differentTricks = ({ tricks }, { tricks: otherTricks }) =>
  [...tricks.keys()].filter((place) =>
    otherTricks[place] !== undefined && otherTricks[place] !== tricks[place]);

/** The actions tapped here, continued with those of the record: the beginning of a correction. */
export function completeFromRecord(actions, record, state, terms) {
  if (!terms || versionOfTaps(actions, state, terms).whole) return actions;
  const rest = playedActions(record).filter(({ type }) => ['trick', 'finish'].includes(type));
  const { tricks } = versionOfTaps(actions, state, terms);
  if (rest.length === 0) return tricks.length > 0 ? actions
    : [...actions, ...playedActions(record).filter(({ type }) => type === 'result')];
  return rest.slice(tricks.length).reduce((completed, action) =>
    (versionOfTaps(completed, state, terms).whole ? completed : [...completed, action]), actions);
}

/** The taps with this suit as the declared trump, or without a trump if it was this suit. */
export const toggleTrump = (taps, suit) => taps.map((action) => {
  if (action.type !== 'declare') return action;
  const { trump, ...rest } = action;
  return trump === suit ? rest : { ...rest, trump: suit };
});

/** The seats in clockwise order, beginning with this player. */
export const seatsFrom = (player, seats) => [...seats.slice(seats.indexOf(player)),
  ...seats.slice(0, seats.indexOf(player))];

export const forehandOf = ({ seats, deal }) => seats[(seats.indexOf(deal.dealer) + 1) % seats.length];

/** The player at the dealer's right, who cuts, and alone can be declarer together with the dealer. */
export const cutterOf = (seats, dealer) => seats.at(seats.indexOf(dealer) - 1);

/** The seats clockwise, the dealer last. */
export const seatOrder = (state) => seatsFrom(forehandOf(state), state.seats);

/** The other players, clockwise from `player`. */
export const otherPlayers = (player, seats) => seatsFrom(player, seats).slice(1);

/**
 * The deal that these actions add up to: as `readDeal`, with `winner` (of the tricks; undefined when a la
 * vola was lost or nobody played) and the declarers in seat order, the cutter before the dealer. Null if the
 * server would refuse an action or the deal is open. `terms` as in domain/games.js; `fits(result, deal)`:
 * whether a result is possible.
 */
export function readFiveTricks(state, actions, { call, fits, twoMayDeclare = false, ...terms }) {
  const { seats, options } = state;
  const dealUpTo = (count) =>
    readDeal(actions.slice(0, count), { seats, earlyEnd: options.allow_early_end, ...terms });
  const may = {
    declare: ({ phase }, { players }) => phase === 'declare'
      && mayDeclare(state, players ?? [], twoMayDeclare),
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
export function mayDeclare({ seats, deal: { dealer } }, players, twoMayDeclare) {
  if (players.length === 1) return seats.includes(players[0]);
  return twoMayDeclare && players.length === 2 && [dealer, cutterOf(seats, dealer)]
    .every((id) => players.includes(id));
}

export const SUITS = ['C', 'S', 'H', 'D'];
export const RANKS = ['A', 'K', 'Q', 'J', '10', '9', '8', '7', '6', '5', '4', '3', '2'];
export const COURT_RANKS = ['A', 'K', 'Q', 'J'];

export const rankOf = (card) => card.slice(0, -1);
export const suitOf = (card) => card.slice(-1);

/** All cards down to this rank. */
export const packFrom = (lowest) => SUITS.flatMap((letter) =>
  RANKS.slice(0, RANKS.indexOf(lowest) + 1).map((rank) => rank + letter));

/** The number of the deal that a write records, `live` in older writes; undefined if it records none. */
export const dealOfWrite = ({ note }) => note.number ?? note.live;

/** The number of the deal that a write records or opens again; undefined if it is about something else. */
export const dealAboutWrite = (write) => write.note.undoes ?? dealOfWrite(write);

/**
 * The actions that result from these writes about one deal, with those that the server had before; null if
 * the writes are about something else.
 */
export function actionsOfWrites([{ body, note }, ...later]) {
  const actions = note.taps ?? body?.actions;
  if (!actions) return null;
  const start = note.undoes === undefined ? actionsAfter(note.heard ?? [], playedActions({ actions }))
    : note.back?.told ?? [];
  return later.reduce((actionsBefore, write) => (write.note.undoes === undefined
    ? actionsAfter(actionsBefore, playedActions(write.body))
    : write.note.back?.told ?? actionsBefore.slice(0, -1)), start);
}
