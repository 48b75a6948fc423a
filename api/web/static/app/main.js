// Starts the form: loads the language, resumes the sync queue, opens the first screen, warns where nothing
// can be stored, then loads the rest in advance and installs the form on the device.

import { areWritesStored, hasStorage } from '../core/database.js';
import { readItem, removeOldEntries, writeItem } from '../core/device_storage.js';
import { untilIdle } from '../core/page_timing.js';
import { currentSession } from '../core/session_store.js';
import { resumeQueue } from '../core/sync_queue.js';
import { loadAllSentences, loadLanguage, preferredLanguage, t } from '../core/translator.js';
import { GAMES } from '../domain/games.js';
import { loadGame } from '../games/registry.js';
import { clearWarning, redrawScreen, showWarning } from '../ui/page.js';
import { OTHER_LOADERS, route, SESSION_LOADERS } from './router.js';

addEventListener('draftlost', () => warnOfLostDraft().catch(() => null), { once: true });

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
  if (!await hasStorage()) warnOfMissingStorage().catch(() => null);
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

// Modules that no address opens, but a tap does.
const LAZY_MODULES = [
  () => import('../features/session_setup.js').then((file) => file.fetchRulebook()),
  () => import('../core/session_forecast.js'),
  () => import('../features/conflicts/waiting_writes.js'),
  () => import('../features/correcting/deal_changes.js'),
  () => import('../screens/menu.js'),
  () => import('../features/speech.js'),
  () => import('../screens/start_rows.js'),
  () => import('../features/proofs/sum_confirmation.js').then((file) => file.watchAnswers()),
  () => import('../features/proofs/kept_proofs.js').then((file) => file.watchReceipts()),
  ...GAMES.map((key) => () => loadGame(key)), loadAllSentences,
];
const PREFETCH_DELAY_MS = 3_000;
const UNTOUCHED_MS = 1_000;

let lastInputAt = 0;
for (const type of ['pointerdown', 'keydown'])
  addEventListener(type, ({ timeStamp }) => { lastInputAt = timeStamp; }, { capture: true, passive: true });

/** Resolves once nobody has touched the page for a moment, so that no tap waits for a module to load. */
async function untilUntouched() {
  await untilIdle();
  for (;;) {
    const remaining = lastInputAt + UNTOUCHED_MS - performance.now();
    if (remaining <= 0) return;
    await new Promise((resolve) => { setTimeout(resolve, remaining); });
    await untilIdle();
  }
}

/**
 * Loads all modules in quiet moments, so that no screen needs the network later: one after the other, because
 * a tap would wait for all of them. Does nothing if the device saves data.
 */
function prefetchModules() {
  if (navigator.connection?.saveData) return;
  const loaders = [...Object.values(OTHER_LOADERS), ...Object.values(SESSION_LOADERS), ...LAZY_MODULES];
  setTimeout(async () => {
    for (const load of loaders) {
      await untilUntouched();
      await load().catch(() => null);
    }
  }, PREFETCH_DELAY_MS);
}

/** Says once that what is recorded is in this page's memory only; what is stored may show later. */
async function warnOfMissingStorage() {
  addEventListener('storagefound', showStored, { once: true });
  await loadAllSentences();
  if (await hasStorage()) showStored();
  else showWarning(t('storage.missing'));
}

/** Says once that localStorage stores no draft. */
async function warnOfLostDraft() {
  await loadAllSentences();
  showWarning(t('storage.draft'));
}

function showStored() {
  if (document.querySelector('#notice p')?.textContent === t('storage.missing')) clearWarning();
  // a session that the server could not be asked for may be stored
  if (location.hash.startsWith('#/s/') && currentSession() === null) redrawScreen();
}

start();
