// Everything that is not the next deal.

import { h, icon } from './dom.js';
import { circleOf, roleIn } from './memory.js';
import { sameAgain } from './people.js';
import { closeSheets, sheet } from './page.js';
import { forPoints } from './points.js';
import { t } from './words.js';
import { tongues } from './tongues.js';

export function menu(state, home) {
  const open = state.status === 'open';
  const role = roleIn(state.id);
  const ours = circleOf(state.id);
  const places = [
    ['deals', t('menu.history')],
    ['pictures', t('menu.pictures')],
    ['board', t('menu.board')],
    ['statement', t('menu.statement')],
    state.balances !== null && ['settlement', t('menu.settle')],
    role === 'host' && ['share', t('menu.share')],
    role === 'host' && !ours && ['circle', t('menu.circle')],
    open && role !== 'viewer' && !forPoints(state) && ['players', t('menu.players')],
    ['rules', t('menu.rules')],
    open && role === 'host' && ['close', t('menu.close')],
  ].filter(Boolean);
  sheet(t('menu.title'), [
    h('nav', { 'aria-label': t('menu.title') }, h('ul', { class: 'rows' }, places.map(([place, label]) =>
      h('li', { class: 'row' }, h('a', { class: 'row-link', href: `${home}/${place}` }, h('span', { class: 'row-name' }, label), icon('on')))),
      (ours ? inCircle(ours) : [sameAgain(state)]).map((way) => h('li', { class: 'row' }, way)))),
    tongues(() => {
      closeSheets();
      dispatchEvent(new HashChangeEvent('hashchange'));
    }),
  ]);
}

/** The circle that the evening is of, and its next evening: the same people meet there. */
const inCircle = ({ id, name }) => [
  [`#/c/${id}`, 'to-circle', t('menu.our_circle', { name })],
  roleIn(id) !== 'viewer' && [`#/c/${id}/tonight`, 'again', t('menu.again')],
].filter(Boolean).map(([href, key, label]) => h('a', { class: 'row-link', href, 'data-key': key }, h('span', { class: 'row-name' }, label), icon('on')));
