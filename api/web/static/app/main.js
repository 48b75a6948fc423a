// Starts the form: loads the language, resumes the sync queue, opens the first screen, then loads the rest in
// advance and installs the form on the device.

import { areWritesStored, hasStorage } from '../core/database.js';
import { readItem, removeOldEntries, writeItem } from '../core/device_storage.js';
import { resumeQueue } from '../core/sync_queue.js';
import { loadLanguage, preferredLanguage } from '../core/translator.js';
import { prefetchModules, route } from './router.js';

const warnOfStorage = (warn) => import('../features/missing_storage.js').then(warn).catch(() => null);
addEventListener('draftlost', () => warnOfStorage((file) => file.warnOfLostDraft()), { once: true });

const START_RETRY_MS = 1_500;

async function start() {
  try {
    await loadLanguage(preferredLanguage());
  } catch {
    setTimeout(start, START_RETRY_MS); // no text can be shown yet
    return;
  }
  removeOldEntries();
  await resumeQueue(); // unsent writes belong to what the first screen shows
  await route();
  if (!await hasStorage()) warnOfStorage((file) => file.warnOfMissingStorage());
  prefetchModules();
  installForm().catch(() => null);
}

const UPDATE_CHECK_MS = 3_600_000;

/** True on the front page without an open dialog, if a reload loses nothing. */
const isIdle = () => location.hash.length < 3 && !document.querySelector('dialog') && areWritesStored();

/** Registers the service worker and looks for newer ones from now on. */
async function installForm() {
  if (!('serviceWorker' in navigator)) return;
  const registration = await navigator.serviceWorker.register('/form/worker.js',
    { scope: '/', updateViaCache: 'none' });
  let hasController = navigator.serviceWorker.controller !== null;
  let isReplaced = false; // whether this page is of an older version than the service worker
  const updateWhenIdle = () => {
    if (!isIdle()) return;
    if (isReplaced) location.reload();
    else registration.waiting?.postMessage('now');
  };
  navigator.serviceWorker.addEventListener('controllerchange', () => {
    isReplaced = hasController;
    hasController = true;
    updateWhenIdle();
  });
  const watchUpdate = () => registration.installing?.addEventListener('statechange', updateWhenIdle);
  registration.addEventListener('updatefound', watchUpdate);
  watchUpdate(); // the browser may have found it already
  addEventListener('hashchange', updateWhenIdle);
  document.addEventListener('visibilitychange', () => {
    const checkedAt = readItem('looked') ?? 0;
    // the clock may have been ahead
    if (document.hidden || Math.abs(Date.now() - checkedAt) < UPDATE_CHECK_MS) return;
    writeItem('looked', Date.now());
    registration.update().catch(() => null); // without a network it looks again another time
  });
  updateWhenIdle();
}

start();
