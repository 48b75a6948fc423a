// This phone is outside now: why, what it still holds, and the ways back in. Nothing that was tapped here is
// thrown away.

import { listWrites } from '../core/database.js';
import { dealDraft, deviceInSession, knownSessions } from '../core/device_storage.js';
import { loadAllSentences, t } from '../core/translator.js';
import { h } from '../ui/elements.js';
import { actionButton, actionLink, announce, showScreen } from '../ui/page.js';

/** Whether it could be said. */
export async function lostAccessNote({ id, again, isCurrent }) {
  const [written] = await Promise.all([listWrites(), loadAllSentences()]);
  if (!isCurrent()) return true;
  const mine = deviceInSession(id) !== null;
  const { title } = knownSessions().find((session) => session.id === id);
  // also what a visit before this one wrote
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
    bar: [actionButton('again', t('lost.again'), again),
      actionLink('code', t('start.code'), '#/door', { big: true })],
  });
  announce(words);
  return true;
}
