// This phone is outside now: why, what it still holds, and the ways back in. Nothing that was tapped here is thrown away.

import { h } from '../ui/elements.js';
import { dressed } from '../core/stylesheets.js';
import { draft, evenings, phoneIn } from '../core/device_storage.js';
import { all } from '../core/outbox.js';
import { act, go, say, show } from '../ui/page.js';
import { t } from '../core/translator.js';

/** Whether it could be said. */
export async function out({ id, again, still }) {
  const [written] = await Promise.all([all(), dressed('door')]);
  if (!still()) return true;
  const mine = phoneIn(id) !== null;
  const { title } = evenings().find((one) => one.id === id);
  const kept = written.filter(({ session }) => session === id).length; // also what a visit before this one wrote
  const words = t(mine ? 'door.out_phone' : 'door.out_link', { title: title || t('start.untitled') });
  show({
    title: t('door.out'), back: '#/', fresh: true,
    main: [
      h('p', { class: 'lead' }, words),
      (kept > 0 || draft(id)) && h('p', { class: 'banner' }, kept > 0 ? t('door.out_kept', { count: kept }) : t('door.out_draft')),
      h('p', { class: 'dim' }, t('door.out_ways')),
    ],
    bar: [act('again', t('lost.again'), again), go('code', t('start.code'), '#/door', { big: true })],
  });
  say(words);
  return true;
}
