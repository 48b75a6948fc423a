// Says once that the form has started without IndexedDB: what is recorded is in this page's memory only. What
// is stored from before shows as soon as IndexedDB answers. Also says once that localStorage stores no draft.

import { hasStorage } from '../core/database.js';
import { currentSession } from '../core/session_store.js';
import { loadAllSentences, t } from '../core/translator.js';
import { clearWarning, redrawScreen, showWarning } from '../ui/page.js';

export async function warnOfMissingStorage() {
  addEventListener('storagefound', showStored, { once: true });
  await loadAllSentences();
  if (await hasStorage()) showStored();
  else showWarning(t('storage.missing'));
}

export async function warnOfLostDraft() {
  await loadAllSentences();
  showWarning(t('storage.draft'));
}

function showStored() {
  if (document.querySelector('#notice p')?.textContent === t('storage.missing')) clearWarning();
  // a session that the server could not be asked for may be stored
  if (location.hash.startsWith('#/s/') && currentSession() === null) redrawScreen();
}
