// What was taken off the front page of this phone, and the way back to its place there.

import { circles, evenings, keepRemoved, remember, removed } from './device_storage.js';

const LISTS = { circles, evenings };

/** `kind`: evenings or circles. */
export function takeOff(kind, id) {
  const list = LISTS[kind]();
  const place = list.findIndex((one) => one.id === id);
  remember(kind, list.toSpliced(place, 1));
  keepRemoved(kind, { ...list[place], place });
}

export function putBack(id) {
  const { kind, place = 0, ...one } = recallRemoved(id);
  remember(kind, LISTS[kind]().filter((other) => other.id !== id).toSpliced(place, 0, one));
  remember('removed', removed().filter((other) => other.id !== id));
}

const recallRemoved = (id) => removed().find((one) => one.id === id);
