// The deal that a write is about while it waits on this device.

import { actionsAfter, playedActions } from './deal.js';

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
