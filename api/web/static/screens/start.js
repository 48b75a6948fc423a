// The first thing anybody sees: what Vola is, the circles and evenings here, and the way to a new one.
// Several games of one evening stand together under its name.

import { h, icon } from '../dom.js';
import { gameNamed } from '../games/index.js';
import { circles, evenings, forgetCircle, forgetEvening, recall } from '../memory.js';
import { go, show } from '../page.js';
import { unsent } from '../queue.js';
import { jacks } from '../suits.js';
import { tongues } from '../tongues.js';
import { shortDate, t } from '../words.js';

export function start() {
  const plain = h('div', {}); // what https would add, said once
  if (!isSecureContext && !recall('plain')) import('../offline/plain.js').then((file) => file.fill(plain)).catch(() => null);
  const newcomer = () => circles().length === 0 && evenings().length === 0;
  const what = () => h('section', { class: 'prose dim' },
    h('p', {}, t('start.what')),
    h('p', {}, h('a', { href: '#/rules' }, t('start.rules'))));
  const draw = (fresh) => show({
    title: 'Vola',
    kind: 'front',
    fresh,
    main: [
      h('div', { class: 'sign' }, jacks(t('rank.J')), h('p', { class: 'motto' }, t('start.motto'))),
      newcomer() && what(), // stands there already: the server has written it (templates/form.html)
      plain,
      circles().length > 0 && ours(() => draw(false)),
      h('section', {}, h('h2', {}, t('start.evenings')), known(() => draw(false))),
      circles().length === 0 && ours(() => draw(false)),
      !newcomer() && what(),
      tongues(() => draw(false)),
    ],
    bar: [go('code', t('start.code'), '#/door'), go('new', t('start.new'), '#/new', { big: true })],
  });
  draw(true);
  return { update: () => draw(false) };
}

/** People who meet again. Known ones come before single evenings, the offer of a first one after. */
function ours(redraw) {
  const list = circles();
  return h('section', {}, h('h2', {}, t('start.circles')),
    list.length === 0 && h('p', { class: 'empty' }, t('start.no_circle')),
    h('ul', { class: 'rows' }, list.map(({ id, name }) => h('li', { class: 'row' },
      h('a', { class: 'row-link', href: `#/c/${id}`, 'data-key': `circle-${id}` }, h('bdi', { class: 'row-name' }, name)),
      h('button', { class: 'round', type: 'button', 'aria-label': t('start.forget', { title: name }), onclick: () => { forgetCircle(id); redraw(); } }, icon('cross')))),
    h('li', { class: 'row' }, h('a', { class: 'row-link', href: '#/c', 'data-key': 'found-circle' }, icon('plus'), h('span', { class: 'row-name' }, t('start.found'))))));
}

function known(redraw) {
  const list = evenings();
  if (list.length === 0) return h('p', { class: 'empty' }, t('start.empty'));
  const evening = ({ id, title, game }, name, small) => h('li', { class: 'row' },
    h('a', { class: 'row-link', href: `#/s/${id}`, 'data-key': `evening-${id}` }, name, small && h('span', { class: 'dim' }, small)),
    // what waits for it would be out of sight
    unsent(id).length > 0 ? h('span', { class: 'tag due' }, t('sync.waiting', { count: unsent(id).length })) : h('button', {
      class: 'round', type: 'button', 'aria-label': t('start.forget', { title: `${title} ${gameNamed(game)}`.trim() }),
      onclick: () => { forgetEvening(id); redraw(); },
    }, icon('cross')));
  return h('ul', { class: 'rows' }, together(list).map(([first, ...others]) => {
    const title = h('bdi', { class: 'row-name' }, first.title || t('start.untitled'));
    const date = shortDate(first.date);
    if (others.length === 0) return evening(first, [title, h('span', { class: 'dim' }, gameNamed(first.game))], date);
    return h('li', { class: 'several' }, h('p', { class: 'row' }, title, h('span', { class: 'dim' }, date)),
      h('ul', { class: 'rows' }, [first, ...others].map((one) => evening(one, h('span', { class: 'row-name' }, gameNamed(one.game)), null))));
  }));
}

/** Games of one title and one day, in the order in which they were last opened. */
function together(list) {
  const found = new Map();
  for (const one of list) {
    const name = `${one.date} ${one.title}`;
    found.set(name, [...(found.get(name) ?? []), one]);
  }
  return [...found.values()];
}
