// A write that waits on this phone, as the sync queue keeps it: `{ key, session, path, body, ifMatch, note
// }`.
//
// The note says what the write is about: `number`, a deal recorded by its tricks or its result; `live`, a
// deal
// recorded question by question; `undoes`, the deal that an undo opens again, with `back.told`, the actions
// it
// then still has; `taps`, all actions tapped for the deal; `what`, a sentence for anything else.

import { playedActions } from './deal.js';

/** The number of the deal that a write records; undefined if it records none. */
export const dealOfWrite = ({ note }) => note.number ?? note.live;

/** The number of the deal that a write records or opens again; undefined if it is about something else. */
export const dealAboutWrite = ({ note }) => note.undoes ?? note.number ?? note.live;

/** The actions that these writes about one deal come to; null when they are about something else. */
export function actionsOfWrites([{ body, note }, ...later]) {
  const actions = note.taps ?? body?.actions;
  if (!actions) return null;
  const start = note.undoes === undefined ? playedActions({ actions }) : note.back?.told ?? [];
  return later.reduce((soFar, write) => (write.note.undoes === undefined
    ? [...soFar, ...playedActions(write.body)]
    : write.note.back?.told ?? soFar.slice(0, -1)), start);
}

/**
 * The write with its deal's number moved by `shift`; deals before `first` and other writes stay as they are.
 */
export function renumberWrite(write, first, shift) {
  const { body, note } = write;
  // Which table the undo opens again is not known any more.
  if (note.undoes >= first) return { ...write, note: { undoes: note.undoes + shift } };
  const number = dealOfWrite(write);
  if (number === undefined || number < first) return write;
  const actions = body.actions.map((action) =>
    (action.type === 'open_deal' ? { ...action, number: number + shift } : action));
  const field = note.number === undefined ? 'live' : 'number';
  return { ...write, body: { ...body, actions }, note: { ...note, [field]: number + shift } };
}
