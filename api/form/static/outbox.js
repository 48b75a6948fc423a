// The outbox on disk: what was written here is still here after a reload or a crash of the tab.
// Where IndexedDB is forbidden it lives in memory, which is the best such a phone can do.

const STORE = 'writes';
const memory = new Map();
let opened = null;

function database() {
  opened ??= new Promise((resolve) => {
    let asked;
    try {
      asked = indexedDB.open('vola', 1);
    } catch {
      resolve(null);
      return;
    }
    asked.onupgradeneeded = () => asked.result.createObjectStore(STORE, { keyPath: 'key' });
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => resolve(null);
    asked.onblocked = () => resolve(null);
  });
  return opened;
}

async function run(mode, work) {
  const db = await database();
  if (db === null) return null;
  return new Promise((resolve, reject) => {
    const transaction = db.transaction(STORE, mode);
    const asked = work(transaction.objectStore(STORE));
    // Wait for the transaction, not the request: only then is it on disk.
    transaction.oncomplete = () => resolve(asked.result ?? null);
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
  });
}

export async function put(entry) {
  memory.set(entry.key, entry);
  await run('readwrite', (store) => store.put(entry)).catch(() => null);
}

export async function remove(key) {
  memory.delete(key);
  await run('readwrite', (store) => store.delete(key)).catch(() => null);
}

/** Everything unsent, oldest first. */
export async function all() {
  const kept = await run('readonly', (store) => store.getAll()).catch(() => null);
  for (const entry of kept ?? []) memory.set(entry.key, entry);
  return [...memory.values()].sort((one, other) => one.at - other.at);
}
