// How closely a deal is written down: its outcome, its tricks, or every card. Each phone remembers its habit.

import { h } from '../../ui/elements.js';
import { recall, remember } from '../../core/device_storage.js';
import { t } from '../../core/translator.js';

/** The habit of this phone in this game; `usual` is what a new phone begins with. */
export const habit = (game, usual) => recall(`depth.${game}`) ?? usual;
export const keepHabit = (game, depth) => remember(`depth.${game}`, depth);

/** Three ways to choose among; unseen but in its place where it cannot be changed. */
export function depthSwitch({ depth, words, changeable = true, pick }) {
  return h('div', { class: changeable ? 'switch' : 'switch off', role: 'group', 'aria-label': t('record.depth') },
    Object.entries(words).map(([value, text]) => h('button', {
      type: 'button', 'aria-pressed': String(depth === value), 'data-key': `depth-${value}`, onclick: () => pick(value),
    }, text)));
}

/** The address stays, the way of recording changes: the screen is drawn again from the beginning. */
export const again = () => dispatchEvent(new HashChangeEvent('hashchange'));
