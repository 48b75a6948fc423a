// The game explained, a fold for each thing people ask about.

import { h } from '../dom.js';
import { everything } from '../help.js';
import { show } from '../page.js';
import { t } from '../words.js';

export function rules({ back }) {
  show({ title: t('menu.rules'), back, fresh: true, main: [h('p', { class: 'lead' }, t('rules.lead')), everything()] });
  return {};
}
