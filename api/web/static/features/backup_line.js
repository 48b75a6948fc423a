// The time of the last backup, for the host of a book that is backed up automatically.

import { getJson, sessionPath } from '../core/api_client.js';
import { formatMoment, loadAllSentences, t } from '../core/translator.js';
import { h } from '../ui/elements.js';

/** The line for the menu of a session; null if the book is not backed up automatically. */
export async function backupLine(id) {
  const [backup] = await Promise.all([getJson(sessionPath(id, '/backup')), loadAllSentences()]);
  if (!backup.automatic) return null;
  return h('p', { class: backup.failing ? '' : 'muted', 'data-key': 'backup' }, backupSentence(backup));
}

function backupSentence({ created_at: createdAt, failing }) {
  if (!createdAt) return t(failing ? 'backup.failed_first' : 'backup.none');
  return t(failing ? 'backup.failed' : 'backup.last', { time: formatMoment(createdAt) });
}
