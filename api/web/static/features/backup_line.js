// When the book was last backed up, for the host of a book that makes backups by itself.

import { getJson, sessionPath } from '../core/api_client.js';
import { formatMoment, loadAllSentences, t } from '../core/translator.js';
import { h } from '../ui/elements.js';

/** The line for the menu of a session; null where the book makes no backups by itself. */
export async function backupLine(id) {
  const [backup] = await Promise.all([getJson(sessionPath(id, '/backup')), loadAllSentences()]);
  if (!backup.automatic) return null;
  return h('p', { class: backup.failing ? '' : 'dim', 'data-key': 'backup' }, backupSentence(backup));
}

function backupSentence({ created_at: createdAt, failing }) {
  if (!createdAt) return t(failing ? 'backup.failed_first' : 'backup.none');
  return t(failing ? 'backup.failed' : 'backup.last', { time: formatMoment(createdAt) });
}
