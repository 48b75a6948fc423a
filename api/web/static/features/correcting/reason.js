// Why something is changed, in somebody's own words; the usual reasons are a tap away.

import { h } from '../../ui/elements.js';
import { t } from '../../core/translator.js';

const MOST = 200; // characters, as the server takes them

/** `suggested`: sentences. `changed(text)` at every letter; `key` tells two of them apart. */
export function reason({ suggested, text, changed, key = 'reason' }) {
  const input = h('input', {
    type: 'text', value: text, maxlength: MOST, autocomplete: 'off', 'data-key': key, 'aria-label': t('correct.reason'),
    placeholder: t('correct.reason'), oninput: (event) => changed(event.target.value),
  });
  const take = (words) => { input.value = words; changed(words); };
  return h('fieldset', { 'aria-label': t('correct.why') }, h('legend', {}, t('correct.why')),
    h('div', { class: 'few reasons' }, suggested.map((words, index) => h('button', {
      type: 'button', class: 'chip', 'data-key': `${key}-${index}`, onclick: () => take(words),
    }, words))), input);
}
