// A write that waits on this device, as the sync queue stores it:
// `{ key, session, path, body, ifMatch, note }`.
//
// The note says what the write is about: `number`, a deal recorded by its tricks or its result; `live`, a
// deal recorded question by question; `undoes`, the deal that an undo reopens, with `back.told`, the actions
// that then remain in it; `taps`, all actions tapped for the deal; `what`, a sentence for anything else.

import { playedActions } from './deal.js';

/** The number of the deal that a write records; undefined if it records none. */
export const dealOfWrite = ({ note }) => note.number ?? note.live;

/** The number of the deal that a write records or opens again; undefined if it is about something else. */
export const dealAboutWrite = ({ note }) => note.undoes ?? note.number ?? note.live;

/** The actions that result from these writes about one deal; null if they are about something else. */
export function actionsOfWrites([{ body, note }, ...later]) {
  const actions = note.taps ?? body?.actions;
  if (!actions) return null;
  const start = note.undoes === undefined ? playedActions({ actions }) : note.back?.told ?? [];
  return later.reduce((actionsBefore, write) => (write.note.undoes === undefined
    ? [...actionsBefore, ...playedActions(write.body)]
    : write.note.back?.told ?? actionsBefore.slice(0, -1)), start);
}

/** Moves the deal number of a write by `shift`. Deals before `first` and other writes stay unchanged. */
export function renumberWrite(write, first, shift) {
  const { body, note } = write;
  // The stored state that the undo would reopen is no longer valid, so `back` is dropped.
  if (note.undoes >= first) return { ...write, note: { undoes: note.undoes + shift } };
  const number = dealOfWrite(write);
  if (number === undefined || number < first) return write;
  const actions = body.actions.map((action) =>
    (action.type === 'open_deal' ? { ...action, number: number + shift } : action));
  const field = note.number === undefined ? 'live' : 'number';
  return { ...write, body: { ...body, actions }, note: { ...note, [field]: number + shift } };
}
