// The first thing anybody sees: what Vola is, the evenings on this phone, and the way to a new one.

import { h, icon } from '../dom.js';
import { evenings, forgetEvening } from '../memory.js';
import { go, show } from '../page.js';
import { jacks } from '../suits.js';
import { tongues } from '../tongues.js';
import { shortDate, t } from '../words.js';

export function start() {
  const draw = (fresh) => show({
    title: 'Vola',
    kind: 'front',
    fresh,
    main: [
      h('div', { class: 'sign' }, jacks(t('cards.jack')), h('p', { class: 'motto' }, t('start.motto'))),
      h('section', {}, h('h2', {}, t('start.evenings')), known(() => draw(false))),
      h('section', { class: 'prose dim' },
        h('p', {}, t('start.what')),
        h('p', {}, h('a', { href: '#/rules' }, t('start.rules')))),
      tongues(() => draw(false)),
    ],
    bar: [go('new', t('start.new'), '#/new', { big: true })],
  });
  draw(true);
}

function known(redraw) {
  const list = evenings();
  if (list.length === 0) return h('p', { class: 'empty' }, t('start.empty'));
  return h('ul', { class: 'rows' }, list.map(({ id, title, date }) => h('li', { class: 'row' },
    h('a', { class: 'row-link', href: `#/s/${id}`, 'data-key': `evening-${id}` },
      h('bdi', { class: 'row-name' }, title || t('start.untitled')),
      h('span', { class: 'dim' }, shortDate(date))),
    h('button', {
      class: 'round', type: 'button', 'aria-label': t('start.forget', { title }),
      onclick: () => { forgetEvening(id); redraw(); },
    }, icon('cross')))));
}
