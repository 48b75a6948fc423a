// What stands where something else is to be decided while this phone has still something to send.

import { h } from '../ui/elements.js';
import { outOfReach } from '../core/sync_queue.js';
import { t } from '../core/translator.js';

/** `sending`: it is this screen's own. */
export const held = (sending) => h('p', { class: 'banner' },
  sending ? t(outOfReach() ? 'record.kept' : 'record.sending') : t('record.first'));
