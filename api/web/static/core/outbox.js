// The outbox on disk: what was written here is still here after a reload or a crash of the tab.
// Where there is no disk it lives in memory, which is the best such a phone can do.

import { run, WRITES } from './database.js';

const memory = new Map();

export async function put(entry) {
  memory.set(entry.key, entry);
  await run(WRITES, 'readwrite', (store) => store.put(entry)).catch(() => null);
}

export async function remove(key) {
  memory.delete(key);
  await run(WRITES, 'readwrite', (store) => store.delete(key)).catch(() => null);
}

/** Everything unsent, oldest first. */
export async function all() {
  const kept = await run(WRITES, 'readonly', (store) => store.getAll()).catch(() => null);
  for (const entry of kept ?? []) memory.set(entry.key, entry);
  return [...memory.values()].sort((one, other) => one.at - other.at);
}

/** Some go and others come in their place: both or neither. */
export async function exchange(gone, come) {
  gone.forEach(({ key }) => memory.delete(key));
  come.forEach((entry) => memory.set(entry.key, entry));
  await run(WRITES, 'readwrite', (store) => {
    gone.forEach(({ key }) => store.delete(key));
    return come.map((entry) => store.put(entry)).at(-1) ?? store.count();
  }).catch(() => null);
}
