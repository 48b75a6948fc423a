// The conflicts about what this device has recorded, as a table: when each holds, what is shown, which
// answers are offered, and what each answer does. A conflict is about a write that the server has refused
// while others wait behind it, or about a draft whose number another device has used. Knows neither the page
// nor the queue.

import { actionsOfWrites, cutterOf, dealAboutWrite, dealBatch, dealOfWrite, dealsAgree,
  readDeal } from './deal.js';
import { termsOf } from './games.js';
import { fitTurns, hasOtherTurns, opensDeal, renumberWrite } from './renumbering.js';

/**
 * Returns the facts about a refused write that the table is read with. `write`: the refused write; `waiting`:
 * all waiting writes of the session, in order; `refusal`: its `{ code, body }`; `session`: the
 * confirmed state; `record`: the deal that the server has under this number, or null; `mayWrite`: whether
 * this device may record; `mayReopen`: whether it may reopen the session, which is closed; `draft`: the draft
 * of a deal on this device, or null. If it continues the deal of
 * the refused write, its taps behind the writes are `restWrite`, the last of `ownWrites`.
 */
export function refusalFacts({ write, waiting, refusal, session, record, mayWrite, mayReopen = false,
  draft = null }) {
  const number = dealAboutWrite(write);
  // Two tabs may have recorded a deal under the same number; the other one is asked about for itself.
  const dealWrites = waiting.filter((waitingWrite) => waitingWrite === write
    || (number !== undefined && number === dealAboutWrite(waitingWrite) && !opensDeal(waitingWrite)));
  const restWrite = restOfDeal(draft, number, actionsOfWrites(dealWrites));
  const ownWrites = restWrite ? [...dealWrites, restWrite] : dealWrites;
  return {
    source: 'write', write, ownWrites, restWrite, waiting, number, record, session, mayWrite, mayReopen,
    isDraftFree: restWrite !== null || !(draft?.taps.length > 0),
    actions: actionsOfWrites(ownWrites),
    isTaken: refusal.code === 'deal_taken',
    isUsedUp: refusal.body.next > number,
    isOpening: opensDeal(write),
    isBetweenDeals: session.deal.phase === 'waiting',
  };
}

/** The taps of a draft behind these actions of its deal, as a write; null if it does not continue them. */
function restOfDeal(draft, number, actions) {
  if (actions === null || draft === null || draft.number !== number) return null;
  const drafted = [...draft.heard ?? [], ...draft.taps];
  const taps = drafted.slice(actions.length);
  return JSON.stringify(drafted.slice(0, actions.length)) !== JSON.stringify(actions) ? null
    : { body: { actions: taps }, note: { number, heard: actions, taps } };
}

/**
 * Returns the facts about a draft, which stands as the write that it would become. `taps`: all its actions;
 * `isOlder`: it was set aside, and the recorder shows a later deal, whose own draft `isNextBegun`;
 * `mayWrite`: whether this device may correct the recorded deal now.
 */
export function draftFacts({ number, taps, session, record, mayWrite, isOlder, isNextBegun = false }) {
  const write = { body: { actions: dealBatch(number, taps, false) }, note: { number, base: 0, taps } };
  return {
    source: isOlder ? 'older_draft' : 'draft', write, ownWrites: [write], waiting: [write], number, record,
    session, mayWrite, actions: taps, isTaken: true, isUsedUp: false, isOpening: true, isNextBegun,
    isBetweenDeals: session.deal.phase === 'waiting',
  };
}

const always = () => true;
const isRecordedAlike = ({ write, actions, ownWrites, restWrite, record, session }) =>
  dealOfWrite(write) !== undefined && actions !== null
  && ownWrites.every((ownWrite) => ownWrite === write || ownWrite === restWrite)
  && dealsAgree(actions, record, session, termsOf(session));
const isDraft = ({ source }) => source !== 'write';
const isDraftAlike = (facts) => isDraft(facts) && isRecordedAlike(facts);
const nextNumber = ({ isBetweenDeals, session, number }) => (isBetweenDeals ? session.deal.number : number);
const hasNextNumber = (facts) => nextNumber(facts) > facts.number;
const mayCorrectRecorded = ({ actions, record, session, mayWrite }) => actions !== null
  && record?.status === 'closed' && session.status === 'open' && mayWrite;
// Sent again, a write must be about the deal that it was meant for.
const reopensSameDeal = ({ isBetweenDeals, session, number }) =>
  number === (isBetweenDeals ? session.deal.number - 1 : session.deal.number);
const isDealOpen = ({ isBetweenDeals, session, number }) => !isBetweenDeals && number === session.deal.number;
const namesItsObject = ({ write }) =>
  write.body?.actions?.every(({ type }) => type !== 'undo' && type !== 'merge') ?? true;

/** An earlier deal has not been recorded to its end, or was taken back, which keeps this one waiting. */
const isEarlierMissing = ({ session, number, mayWrite }) =>
  session.deal.number < number && session.status === 'open' && mayWrite;

/** What only a dealer may do was done by the dealer of the next deal, or not at all. */
function fitsNextDealer({ actions, session: { seats, deal: { dealer } } }) {
  const pair = [dealer, cutterOf(seats, dealer)];
  return (actions ?? []).every(({ player, turn_up: swapsTurnUp, players = [] }) =>
    (swapsTurnUp !== true || player === dealer)
    && (players.length < 2 || pair.every((id) => players.includes(id))));
}

const mayBeNext = (facts) => hasNextNumber(facts) && fitsNextDealer(facts);

const isWhole = ({ ownWrites, restWrite }) =>
  ownWrites.some((write) => write !== restWrite && write.note.taps);

/** The deal was open, and is no longer there; this device knows all of its actions. */
function mayBeginAgain(facts) {
  const { write, ownWrites, record, session, number, isBetweenDeals, isDraftFree } = facts;
  return isBetweenDeals && session.status === 'open' && record?.status !== 'closed'
    && nextNumber(facts) >= number && write.note.heard !== undefined
    && ownWrites.every(({ note, body }) => note.undoes === undefined
      && body.actions.every(({ type }) => type !== 'undo'))
    && (isDraftFree || isWhole(facts)) && fitsNextDealer(facts);
}

/** Sends the write again, in a closed session once it is reopened. */
const sendAgainIf = (isOffered) => ({
  reopen: (facts) => facts.mayReopen && isOffered(facts),
  try_again: (facts) => !facts.mayReopen && isOffered(facts),
});

/** What a deal begins with in the games that ask question by question. */
const FIRST_ACTIONS = ['side_bid', 'redeal', 'stay', 'pass', 'exchange'];

/** The next deal has not begun, here or elsewhere, and the draft may be its beginning. */
function fitsNextDeal(facts) {
  const { actions, session: { status, seats }, isBetweenDeals, isNextBegun } = facts;
  const { passed, declarers } = readDeal(actions, { seats });
  return status === 'open' && isBetweenDeals && !isNextBegun
    && (passed || declarers.length > 0 || FIRST_ACTIONS.includes(actions[0]?.type))
    && declarers.every((id) => seats.includes(id))
    && fitsNextDealer(facts);
}

/**
 * The first case whose `holds` is true applies. `shows`: the sentence above both versions. `followers`:
 * whether the later waiting deals keep their numbers or move up when this one is given up. `answers`: each
 * with the condition under which it is offered. A case without answers is resolved by `resolvedBy`, without a
 * dialog.
 */
export const CASES = {
  draft_alike: { holds: isDraftAlike, shows: 'alike', resolvedBy: 'drop' },
  draft_taken: {
    holds: isDraft, shows: 'taken', followers: 'keep',
    answers: { give_up: always, correct_recorded: mayCorrectRecorded, use_next_number: fitsNextDeal },
  },
  recorded_alike: { holds: isRecordedAlike, resolvedBy: 'drop' },
  number_taken: {
    holds: ({ isTaken }) => isTaken, shows: 'taken', followers: 'keep',
    answers: { give_up: always, correct_recorded: mayCorrectRecorded, use_next_number: mayBeNext },
  },
  number_used_up: {
    holds: ({ isUsedUp }) => isUsedUp, shows: 'refusal', followers: 'keep',
    answers: { give_up: always, use_next_number: mayBeNext },
  },
  undo: {
    holds: ({ write }) => write.note.undoes !== undefined, shows: 'refusal', followers: 'keep',
    answers: { give_up: always, ...sendAgainIf(reopensSameDeal) },
  },
  other_write: {
    holds: ({ number }) => number === undefined, shows: 'refusal', followers: 'keep',
    answers: { give_up: always, ...sendAgainIf(namesItsObject) },
  },
  new_deal: {
    holds: ({ isOpening }) => isOpening, shows: 'refusal', followers: 'move_up',
    answers: {
      give_up: always,
      void_earlier: (facts) => !facts.isBetweenDeals && isEarlierMissing(facts),
      use_next_number: (facts) => facts.isBetweenDeals && isEarlierMissing(facts) && fitsNextDealer(facts),
      ...sendAgainIf((facts) => !hasOtherDealer(facts)),
    },
  },
  open_deal: {
    holds: always, shows: 'refusal', followers: 'keep',
    answers: {
      give_up: always, correct_recorded: mayCorrectRecorded, begin_again: mayBeginAgain,
      ...sendAgainIf((facts) => isDealOpen(facts) && namesItsObject(facts)),
    },
  },
};

/** The name of the case that applies to these facts. */
export const caseOf = (facts) => Object.keys(CASES).find((name) => CASES[name].holds(facts));

/** The answers that are offered, in the order of their buttons. */
export const answersTo = (facts) => Object.entries(CASES[caseOf(facts)].answers ?? {})
  .filter(([, isOffered]) => isOffered(facts)).map(([answer]) => answer);

/** Whether only its dealer keeps this deal from being the next one. */
export function hasOtherDealer(facts) {
  const { answers = {}, followers } = CASES[caseOf(facts)];
  const mayBecomeNext = followers === 'move_up' ? facts.number === facts.session.deal.number
    : 'use_next_number' in answers && hasNextNumber(facts);
  return mayBecomeNext && !fitsNextDealer(facts);
}

/** By how much an answer moves the numbers of the deals from this one on. */
export function numberShift(answer, facts) {
  if (['use_next_number', 'begin_again'].includes(answer)) return nextNumber(facts) - facts.number;
  return answer === 'give_up' && CASES[caseOf(facts)].followers === 'move_up' ? -1 : 0;
}

/** Every write with the number and the dealer that the answer gives its deal. */
const moveAll = (answer) => (facts) => {
  const { number, ownWrites } = facts;
  const newNumber = (write) => {
    const dealNumber = dealAboutWrite(write);
    return dealNumber > number || (dealNumber !== undefined && ownWrites.includes(write))
      ? dealNumber + numberShift(answer, facts) : null;
  };
  return (write) => renumberWrite(write, newNumber, facts);
};

/**
 * The draft that a deal becomes with this answer, or null: one that is only begun, and was opened elsewhere
 * or by another dealer. Its recorder asks for the calls that are missing, and sends the deal whole.
 */
export function draftBegun(answer, facts) {
  const { ownWrites, actions, number, session: { seats, deal }, isBetweenDeals, isDraftFree } = facts;
  const newNumber = number + numberShift(answer, facts);
  const isNext = isBetweenDeals && newNumber === deal.number && actions !== null
    && ownWrites.every(({ note }) => note.undoes === undefined);
  return isNext && isDraftFree && !isWhole(facts) && (answer === 'begin_again'
    || (['use_next_number', 'try_again'].includes(answer) && hasOtherTurns(actions, deal.dealer, seats)))
    ? { number: newNumber, base: 0, heard: [], taps: actions } : null;
}

/** The waiting deals with their new numbers; one that becomes a draft waits no longer. */
const renumber = (answer) => (facts) => {
  const move = moveAll(answer)(facts);
  const isBegun = draftBegun(answer, facts) !== null;
  return (write) => (isBegun && facts.ownWrites.includes(write) ? null : move(write));
};

/** A whole deal as one write, since the server no longer has its beginning; otherwise as `renumber`. */
function beginAgain(facts) {
  const { write, ownWrites, actions, number, session: { seats, deal } } = facts;
  const move = renumber('begin_again')(facts);
  if (!isWhole(facts)) return move;
  const newNumber = number + numberShift('begin_again', facts);
  const taps = fitTurns(actions, deal.dealer, seats);
  const { note } = ownWrites.find((ownWrite) => ownWrite.note.taps);
  const wholeDeal = {
    ...write, ifMatch: null, body: { actions: dealBatch(newNumber, taps, false) },
    note: { ...note, base: 0, heard: [], taps, number: newNumber },
  };
  return (item) => (item === write ? wholeDeal : ownWrites.includes(item) ? null : move(item));
}

const dropOwn = (answer) => (facts) => {
  const moveFollower = moveAll(answer)({ ...facts, waiting: facts.waiting.filter((write) =>
    !facts.ownWrites.includes(write)) });
  return (write) => (facts.ownWrites.includes(write) ? null : moveFollower(write));
};

/** Every write, under its new number; the refused one is about the confirmed version now. */
const tryAgain = (facts) => (write) => {
  const moved = write.note.undoes === undefined ? renumber('try_again')(facts)(write) : write;
  return write !== facts.write || moved === null ? moved
    : { ...moved, ifMatch: Number.isInteger(write.ifMatch) ? facts.session.version : write.ifMatch };
};

/** What an answer turns each waiting write, or the draft, into: the same or a changed one; null drops it. */
export const ANSWERS = {
  drop: (facts) => (write) => (facts.ownWrites.includes(write) ? null : write),
  give_up: dropOwn('give_up'),
  correct_recorded: dropOwn('correct_recorded'),
  use_next_number: renumber('use_next_number'),
  begin_again: beginAgain,
  try_again: tryAgain,
  // in the session in which the earlier deal is void, or which is reopened
  void_earlier: tryAgain,
  reopen: tryAgain,
};

/**
 * What an answer opens, by the source of the conflict. `put_off`: the dialog was closed without an answer,
 * and nothing has changed.
 */
export const OPENS = {
  draft: {
    drop: 'recorded_deal', give_up: 'table', correct_recorded: 'correction', use_next_number: 'recorder',
    put_off: 'table',
  },
  older_draft: {
    drop: 'nothing', give_up: 'same_screen', correct_recorded: 'correction', use_next_number: 'recorder',
    put_off: 'nothing',
  },
  write: {
    drop: 'nothing', give_up: 'table', correct_recorded: 'correction', use_next_number: 'table',
    begin_again: 'table', void_earlier: 'table', reopen: 'table', try_again: 'table',
    put_off: 'reminder',
  },
};
