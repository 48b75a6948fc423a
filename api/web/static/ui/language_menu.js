// Changing the language, from wherever it is offered.

import { h } from './elements.js';
import { warn } from './page.js';
import { choose, language, LANGUAGES, t } from '../core/translator.js';

export function tongues(changed) {
  const pick = async (event) => {
    try {
      await choose(event.target.value);
      changed();
    } catch {
      warn(t('queue.offline'));
    }
  };
  return h('label', { class: 'tongues' }, h('span', {}, t('menu.language')),
    h('select', { name: 'language', 'data-key': 'language', onchange: pick },
      Object.entries(LANGUAGES).map(([code, name]) =>
        h('option', { value: code, lang: code, selected: code === language() }, name))));
}
