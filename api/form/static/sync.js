// Is the server hearing us? Said small and honestly, in the corner of every evening's screen.

import { h } from './dom.js';
import { evening, inReach } from './evening.js';
import { say } from './page.js';
import { outOfReach, unsent } from './queue.js';
import { t } from './words.js';

let told = '';

export function sync() {
  const count = unsent(evening().id).length;
  const troubled = outOfReach() || !inReach();
  const text = count > 0
    ? t(troubled ? 'sync.waiting' : 'sync.sending', { count })
    : t(troubled ? 'sync.offline' : 'sync.well');
  if (troubled && text !== told) say(text); // ears hear of trouble when it begins, not at every look
  told = text;
  return h('span', { class: `sync ${troubled ? 'troubled' : count > 0 ? 'busy' : 'well'}` },
    h('span', { class: 'lamp', 'aria-hidden': 'true' }), h('span', {}, text));
}
