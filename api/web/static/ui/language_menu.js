// The choice of language.

import { LANGUAGES, chooseLanguage, language, t } from '../core/translator.js';
import { h } from './elements.js';
import { showWarning } from './page.js';

export function languageMenu(changed) {
  const pick = async (event) => {
    try {
      await chooseLanguage(event.target.value);
      changed();
    } catch {
      showWarning(t('queue.offline'));
    }
  };
  return h('label', { class: 'tongues' }, h('span', {}, t('menu.language')),
    h('select', { name: 'language', 'data-key': 'language', onchange: pick },
      Object.entries(LANGUAGES).map(([code, name]) =>
        h('option', { value: code, lang: code, selected: code === language() }, name))));
}
