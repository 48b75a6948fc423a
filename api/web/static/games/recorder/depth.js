// The depth of recording: result, tricks or cards. Each device remembers the depth it used last.

import { readItem, writeItem } from '../../core/device_storage.js';
import { t } from '../../core/translator.js';
import { h } from '../../ui/elements.js';

/** The depth used last on this device in this game; `usual` is the one to begin with. */
export const depthHabit = (game, usual) => readItem(`depth.${game}`) ?? usual;
export const saveDepthHabit = (game, depth) => writeItem(`depth.${game}`, depth);

/** A switch between the depths; invisible but in its place where it cannot be changed. */
export function depthSwitch({ depth, words, changeable = true, pick }) {
  return h('div', { class: changeable ? 'switch' : 'switch off', role: 'group',
    'aria-label': t('record.depth') },
    Object.entries(words).map(([value, text]) => h('button', {
      type: 'button', 'aria-pressed': String(depth === value), 'data-key': `depth-${value}`,
      onclick: () => pick(value),
    }, text)));
}
