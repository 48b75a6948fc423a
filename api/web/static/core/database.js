// What this phone keeps on disk: writes on their way, and each evening as it was last seen.
// Where IndexedDB is forbidden nothing is kept, and whoever asks has to make do with memory.

export const WRITES = 'writes';
export const EVENINGS = 'evenings';

let opened = null;

function database() {
  opened ??= new Promise((resolve) => {
    let asked;
    try {
      asked = indexedDB.open('vola', 2);
    } catch {
      resolve(null);
      return;
    }
    asked.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion < 1) asked.result.createObjectStore(WRITES, { keyPath: 'key' });
      asked.result.createObjectStore(EVENINGS, { keyPath: 'id' });
    };
    asked.onsuccess = () => {
      asked.result.onversionchange = () => { asked.result.close(); opened = null; }; // a newer form has come
      resolve(asked.result);
    };
    asked.onerror = () => resolve(null);
    asked.onblocked = () => resolve(null);
  });
  return opened;
}

/** Does `work` with a store and resolves with what it asked for; null where there is no disk. */
export async function run(name, mode, work) {
  const db = await database();
  if (db === null) return null;
  return new Promise((resolve, reject) => {
    const transaction = db.transaction(name, mode);
    const asked = work(transaction.objectStore(name));
    // Wait for the transaction, not the request: only then is it on disk.
    transaction.oncomplete = () => resolve(asked.result ?? null);
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
  });
}
