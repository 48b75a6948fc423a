// Each evening as this phone saw it last, for when the server cannot be asked. Never a token, and
// gone as soon as the evening lets this phone in no more.

import { EVENINGS, run } from './database.js';

/** `seen`: the state as the server told it, and what was said so far of the deal that is open. */
export const keepSeen = (id, seen) => run(EVENINGS, 'readwrite', (store) => store.put({ id, ...seen })).catch(() => null);

export const lastSeen = (id) => run(EVENINGS, 'readonly', (store) => store.get(id)).catch(() => null);

export const forgetSeen = (id) => run(EVENINGS, 'readwrite', (store) => store.delete(id)).catch(() => null);
