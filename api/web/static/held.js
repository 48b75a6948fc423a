// What stands where something else is to be decided while this phone has still something to send.

import { h } from './dom.js';
import { outOfReach } from './queue.js';
import { t } from './words.js';

/** `sending`: it is this screen's own. */
export const held = (sending) => h('p', { class: 'banner' },
  sending ? t(outOfReach() ? 'record.kept' : 'record.sending') : t('record.first'));
