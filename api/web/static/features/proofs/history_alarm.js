// The alarm that the server's history of a session contradicts what this device has kept: both documents are
// kept, and a notice stays on every screen of the session and offers them as one file.

import { updateProofs } from '../../core/device_storage.js';
import { loadAllSentences, t } from '../../core/translator.js';
import { buildElement, h } from '../../ui/elements.js';
import { saveFile } from '../../ui/share_controls.js';

const FILE_FORMAT = 'vola contradiction 1';

let shownNotice = null;
let shownSession = null;

export function sessionOnScreen() {
  const [, place, id] = location.hash.split('/');
  return place === 's' && id ? decodeURIComponent(id) : null;
}

/** Keeps both documents beside the record, and says so; recording goes on. */
export async function raiseAlarm(id, record, { reason, version }, received) {
  const { key, head, receipts, names } = record;
  const kept = { key, head, receipts, names };
  const alarm = { reason, version, at: new Date().toISOString(), kept, received };
  await updateProofs(id, (stored) => ({ ...(stored ?? record), alarm: stored?.alarm ?? alarm }));
  if (sessionOnScreen() === id) drawAlarm(id, alarm);
}

/** Shows what was found in a session; null removes the notice. */
export async function drawAlarm(session, alarm) {
  if (shownNotice && alarm !== null && shownSession === session) return; // it is not read aloud again
  shownSession = alarm && session;
  if (alarm !== null) await loadAllSentences().catch(() => null);
  if (shownSession !== (alarm && session)) return; // another screen has been opened meanwhile
  shownNotice?.remove();
  shownNotice = alarm && buildElement(h('aside', { class: 'history-alarm', 'aria-label': t('proofs.title') },
    h('p', { role: 'alert' }, t('proofs.alarm')),
    h('button', { type: 'button', class: 'button', 'data-key': 'save-proofs',
      onclick: () => saveProofs(session, alarm) }, t('proofs.save'))));
  // Beside the heading, not inside: a redraw changes only what is inside.
  if (shownNotice) document.querySelector('#head').after(shownNotice);
}

function saveProofs(session, alarm) {
  const text = JSON.stringify({ format: FILE_FORMAT, session, ...alarm }, null, 2);
  saveFile({ blob: new Blob([text], { type: 'application/json' }),
    name: [t('proofs.file'), 'json'].join('.') });
}
