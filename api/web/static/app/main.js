// Starts the form: the language, what waits on this phone, the first screen; then what can be fetched in
// advance.

import { resumeQueue } from '../core/sync_queue.js';
import { loadLanguage, preferredLanguage } from '../core/translator.js';
import { installForm } from './installation.js';
import { prefetchModules } from './lazy_screens.js';
import { route } from './router.js';

const START_RETRY_MS = 1_500;

async function start() {
  try {
    await loadLanguage(preferredLanguage());
  } catch {
    setTimeout(start, START_RETRY_MS); // nothing can be said yet
    return;
  }
  await resumeQueue(); // what was recorded here belongs to what is shown
  await route();
  prefetchModules();
  installForm().catch(() => null);
}

start();
