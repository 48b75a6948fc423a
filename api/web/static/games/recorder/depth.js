// How closely a deal is written down: its outcome, its tricks, or every card. Each phone remembers its habit.

import { readItem, writeItem } from '../../core/device_storage.js';
import { t } from '../../core/translator.js';
import { h } from '../../ui/elements.js';

/** The habit of this phone in this game; `usual` is what a new phone begins with. */
export const depthHabit = (game, usual) => readItem(`depth.${game}`) ?? usual;
export const saveDepthHabit = (game, depth) => writeItem(`depth.${game}`, depth);

/** Three ways to choose among; unseen but in its place where it cannot be changed. */
export function depthSwitch({ depth, words, changeable = true, pick }) {
  return h('div', { class: changeable ? 'switch' : 'switch off', role: 'group',
    'aria-label': t('record.depth') },
    Object.entries(words).map(([value, text]) => h('button', {
      type: 'button', 'aria-pressed': String(depth === value), 'data-key': `depth-${value}`,
      onclick: () => pick(value),
    }, text)));
}
