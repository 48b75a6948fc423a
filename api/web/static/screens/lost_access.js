// This device has lost its access: why, what it still holds, and the ways back in. Nothing recorded here is
// deleted.

import { dealDraft, deviceInSession, knownSessions, listWrites } from '../core/device_storage.js';
import { loadAllSentences, t } from '../core/translator.js';
import { h } from '../ui/elements.js';
import { actionButton, actionLink, announce, showScreen } from '../ui/page.js';

/** Returns whether there was anything to say. */
export async function lostAccessNote({ id, retry, isCurrent }) {
  const [written] = await Promise.all([listWrites(), loadAllSentences()]);
  if (!isCurrent()) return true;
  const mine = deviceInSession(id) !== null;
  const { title } = knownSessions().find((session) => session.id === id);
  // Includes writes of an earlier visit.
  const unsentCount = written.filter(({ session }) => session === id).length;
  const words = t(mine ? 'door.out_phone' : 'door.out_link', { title: title || t('start.untitled') });
  showScreen({
    title: t('door.out'), backHref: '#/', fresh: true,
    main: [
      h('p', { class: 'lead' }, words),
      (unsentCount > 0 || dealDraft(id)) && h('p', { class: 'banner' },
        unsentCount > 0 ? t('door.out_kept', { count: unsentCount }) : t('door.out_draft')),
      h('p', { class: 'dim' }, t('door.out_ways')),
    ],
    bar: [actionButton('again', t('lost.again'), retry),
      actionLink('code', t('start.code'), '#/door', { big: true })],
  });
  announce(words);
  return true;
}
