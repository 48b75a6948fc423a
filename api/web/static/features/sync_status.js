// Is the server hearing us? Said small and honestly, in the corner of every evening's screen.

import { h } from '../ui/elements.js';
import { evening, inReach } from '../core/session_store.js';
import { act, go, say } from '../ui/page.js';
import { outOfReach, unsent } from '../core/sync_queue.js';
import { busy } from '../core/api_client.js';
import { t } from '../core/translator.js';

let told = '';
const look = () => import('./waiting.js').then((file) => file.waiting(`#/s/${evening().id}`)).catch(() => null);

export function sync() {
  const count = unsent(evening().id).length;
  const troubled = outOfReach() || !inReach();
  const text = troubled && busy() ? t(count > 0 ? 'sync.busy_waiting' : 'sync.busy', { count }) : count > 0
    ? t(troubled ? 'sync.waiting' : 'sync.sending', { count })
    : t(troubled ? 'sync.offline' : 'sync.well');
  if (troubled && text !== told) say(text); // ears hear of trouble when it begins, not at every look
  told = text;
  const inside = [h('span', { class: 'lamp', 'aria-hidden': 'true' }), h('span', {}, text)];
  const kind = `sync ${troubled ? 'troubled' : count > 0 ? 'busy' : 'well'}`;
  if (count === 0) return h('span', { class: kind }, inside);
  return h('button', { type: 'button', class: kind, 'data-key': 'waiting', onclick: look }, inside);
}

/** While something is written the next screen is a moment away, and no tap for this one may meet it. */
export const meanwhile = (home, sending) => (sending && !outOfReach()
  ? act('table', t('record.to_table'), null, { big: true, disabled: true })
  : go('table', t('record.to_table'), home, { big: true }));
