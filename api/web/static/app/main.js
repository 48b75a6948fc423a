// Starts the form: loads the language, resumes the sync queue, opens the first screen, then loads the rest in
// advance.

import { resumeQueue } from '../core/sync_queue.js';
import { loadLanguage, preferredLanguage } from '../core/translator.js';
import { installForm } from './installation.js';
import { prefetchModules, route } from './router.js';

const START_RETRY_MS = 1_500;

async function start() {
  try {
    await loadLanguage(preferredLanguage());
  } catch {
    setTimeout(start, START_RETRY_MS); // no text can be shown yet
    return;
  }
  await resumeQueue(); // unsent writes belong to what the first screen shows
  await route();
  prefetchModules();
  installForm().catch(() => null);
}

start();
