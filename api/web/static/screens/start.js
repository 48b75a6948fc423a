// The first thing anybody sees: what Vola is, the circles and evenings here, and the way to a new one.

import { h, icon } from '../ui/elements.js';
import { circles, evenings, recall, removed } from '../core/device_storage.js';
import { go, show } from '../ui/page.js';
import { jacks } from '../ui/suits.js';
import { tongues } from '../ui/language_menu.js';
import { t } from '../core/translator.js';

export async function start({ still }) {
  const plain = h('div', {}); // what https would add, said once
  if (!isSecureContext && !recall('plain')) import('./plain.js').then((file) => file.fill(plain)).catch(() => null);
  const newcomer = () => [circles(), evenings(), removed()].every((list) => list.length === 0);
  const rows = newcomer() ? null : await import('./start_rows.js').then((file) => file.rows()).catch(() => UNADORNED);
  if (!still()) return null;
  const what = () => h('section', { class: 'prose dim' },
    h('p', {}, t('start.what')),
    h('p', {}, h('a', { href: '#/rules' }, t('start.rules'))));
  const ours = () => h('section', {}, h('h2', {}, t('start.circles')),
    circles().length === 0 && h('p', { class: 'empty' }, t('start.no_circle')), (rows ?? UNADORNED).ours(again));
  const again = () => draw(false);
  const draw = (fresh) => show({
    title: 'Vola',
    kind: 'front',
    fresh,
    main: [
      h('div', { class: 'sign' }, jacks(t('rank.J')), h('p', { class: 'motto' }, t('start.motto'))),
      newcomer() && what(), // stands there already: the server has written it (templates/form.html)
      plain,
      h('section', {}, h('h2', {}, t('start.evenings')), rows ? rows.known(again) : h('p', { class: 'empty' }, t('start.empty'))),
      ours(),
      rows?.goneBefore(again),
      !newcomer() && what(),
      tongues(again),
    ],
    bar: [go('code', t('start.code'), '#/door'), go('new', t('start.new'), '#/new', { big: true })],
  });
  draw(true);
  return { update: again };
}

const link = (key, href, name) => h('li', { class: 'row' }, h('a', { class: 'row-link', href, 'data-key': key }, h('bdi', { class: 'row-name' }, name)));

/** The lists of a phone that cannot fetch more just now: ways in, and no more. */
const UNADORNED = {
  ours: () => h('ul', { class: 'rows' }, circles().map(({ id, name }) => link(`circle-${id}`, `#/c/${id}`, name)),
    h('li', { class: 'row' }, h('a', { class: 'row-link', href: '#/c', 'data-key': 'found-circle' }, icon('plus'), h('span', { class: 'row-name' }, t('start.found'))))),
  known: () => h('ul', { class: 'rows' }, evenings().map(({ id, title }) => link(`evening-${id}`, `#/s/${id}`, title || t('start.untitled')))),
  goneBefore: () => null,
};
