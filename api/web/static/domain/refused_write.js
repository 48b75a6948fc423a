// A write of this phone that the server refused while others wait behind it, as a table: which case it is,
// what is
// shown, which answers a person has, and what each answer does to the writes that wait.
// Knows neither the page nor the queue. Nothing is dropped or sent before there is an answer.

import { dealsAgree } from './deal.js';
import { termsOf } from './games.js';
import { actionsOfWrites, dealAboutWrite, dealOfWrite, renumberWrite } from './queued_write.js';

/**
 * The facts that the table is read with.
 * `write`: the refused one; `waiting`: all that wait for the session, in order; `trouble`: `{ code, body }`
 * of the
 * refusal; `session`: its confirmed state; `recorded`: the deal that the server has under this number, or
 * null;
 * `mayWrite`: whether this phone may record.
 */
export function refusalFacts({ write, waiting, trouble, session, recorded, mayWrite }) {
  const number = dealOfWrite(write) ?? write.note.undoes;
  const own = waiting.filter((other) => other === write
    || (number !== undefined && number === dealAboutWrite(other)));
  return {
    write, own, number, recorded, session, mayWrite,
    actions: actionsOfWrites(own),
    isTaken: trouble.code === 'deal_taken',
    isUsedUp: trouble.body.next > number,
    isOpening: write.body.actions?.[0].type === 'open_deal',
    isWaiting: session.deal.phase === 'waiting',
  };
}

const always = () => true;
const isRecordedAlike = ({ isTaken, actions, own, recorded, session }) => isTaken && actions !== null
  && own.length === 1 && dealsAgree(actions, recorded, session, termsOf(session));
const nextNumber = ({ isWaiting, session, number }) => (isWaiting ? session.deal.number : number);
const hasNextNumber = (facts) => nextNumber(facts) > facts.number;
const mayCorrectRecorded = ({ actions, recorded, session, mayWrite }) => actions !== null
  && recorded?.status === 'closed' && session.status === 'open' && mayWrite;
// Sent again, a write must be about the deal that it was meant for.
const reopensSameDeal = ({ isWaiting, session, number }) =>
  number === (isWaiting ? session.deal.number - 1 : session.deal.number);
const dealIsOpen = ({ isWaiting, session, number }) => !isWaiting && number === session.deal.number;
const namesItsObject = ({ write }) =>
  write.body.actions?.every(({ type }) => type !== 'undo' && type !== 'merge') ?? true;

/**
 * The first case that `holds` is the one. `shows`: the sentence above both versions. `followers`: whether the
 * later
 * deals that wait keep their numbers when this one is given up. `answers`: each with when it is offered; a
 * case
 * without answers is settled by `settledBy`, with nothing to ask.
 */
export const CASES = {
  recorded_alike: { holds: isRecordedAlike, settledBy: 'drop' },
  number_taken: {
    holds: ({ isTaken }) => isTaken, shows: 'taken', followers: 'keep',
    answers: { give_up: always, correct_recorded: mayCorrectRecorded, use_next_number: hasNextNumber },
  },
  number_used_up: {
    holds: ({ isUsedUp }) => isUsedUp, shows: 'refusal', followers: 'keep',
    answers: { give_up: always, use_next_number: hasNextNumber },
  },
  undo: {
    holds: ({ write }) => write.note.undoes !== undefined, shows: 'refusal', followers: 'keep',
    answers: { give_up: always, try_again: reopensSameDeal },
  },
  other_write: {
    holds: ({ number }) => number === undefined, shows: 'refusal', followers: 'keep',
    answers: { give_up: always, try_again: namesItsObject },
  },
  new_deal: {
    holds: ({ isOpening }) => isOpening, shows: 'refusal', followers: 'move_up',
    answers: { give_up: always, try_again: always },
  },
  open_deal: {
    holds: always, shows: 'refusal', followers: 'keep',
    answers: { give_up: always, try_again: dealIsOpen },
  },
};

/** The name of the case that these facts are. */
export const caseOf = (facts) => Object.keys(CASES).find((name) => CASES[name].holds(facts));

/** The answers that are offered, in the order of their buttons. */
export const answersTo = (facts) => Object.entries(CASES[caseOf(facts)].answers ?? {})
  .filter(([, isOffered]) => isOffered(facts)).map(([answer]) => answer);

/** By how much an answer moves the numbers of the deals from this one on. */
export function numberShift(answer, facts) {
  if (answer === 'use_next_number') return nextNumber(facts) - facts.number;
  return answer === 'give_up' && CASES[caseOf(facts)].followers === 'move_up' ? -1 : 0;
}

/**
 * What an answer makes of each write that waits: another write, the same, or null for one that is dropped.
 */
export const ANSWERS = {
  drop: (facts) => (write) => (facts.own.includes(write) ? null : write),
  give_up: (facts) => (write) => (facts.own.includes(write) ? null
    : renumberWrite(write, facts.number, numberShift('give_up', facts))),
  correct_recorded: (facts) => (write) => (facts.own.includes(write) ? null : write),
  use_next_number: (facts) => (write) =>
    renumberWrite(write, facts.number, numberShift('use_next_number', facts)),
  try_again: (facts) => (write) => (write !== facts.write ? write
    : { ...write, ifMatch: Number.isInteger(write.ifMatch) ? facts.session.version : write.ifMatch }),
};
