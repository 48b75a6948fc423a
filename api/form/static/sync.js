// Is the server hearing us? Said small and honestly, in the corner of every evening's screen.

import { h } from './dom.js';
import { evening, inReach } from './evening.js';
import { outOfReach, unsent } from './queue.js';
import { t } from './words.js';

export function sync() {
  const count = unsent(evening().id).length;
  const troubled = outOfReach() || !inReach();
  const text = count > 0
    ? t(troubled ? 'sync.waiting' : 'sync.sending', { count })
    : t(troubled ? 'sync.offline' : 'sync.well');
  return h('span', { class: `sync ${troubled ? 'troubled' : count > 0 ? 'busy' : 'well'}`, role: 'status' },
    h('span', { class: 'lamp', 'aria-hidden': 'true' }), h('span', {}, text));
}
