// Everything that is not the next deal, in groups: the evening, its money, the table, the rules, settings.

import { h, icon } from '../ui/elements.js';
import { circleOf, roleIn } from '../core/device_storage.js';
import { sameAgain } from '../features/people.js';
import { closeSheets, sheet } from '../ui/page.js';
import { forPoints } from '../domain/points.js';
import { speakAlso, t } from '../core/translator.js';
import { tongues } from '../ui/language_menu.js';

/** Resolves when the menu can be opened without the network. */
export const ready = () => speakAlso('menu.');

export async function menu(state, home) {
  const here = location.hash;
  await ready();
  if (location.hash !== here || document.querySelector('dialog[open]')) return; // another tap was faster
  const open = state.status === 'open';
  const role = roleIn(state.id);
  const ours = circleOf(state.id);
  const to = (place, label) => link(`${home}/${place}`, place, label);
  const groups = [
    ['evening', [
      to('deals', t('menu.history')),
      to('pictures', t('menu.pictures')),
      ...(ours ? inCircle(ours) : [sameAgain(state), role === 'host' && to('circle', t('menu.circle'))]),
    ]],
    ['money', [to('statement', t('menu.statement')), ending(state, role, to)]],
    ['table', [
      open && role !== 'viewer' && !forPoints(state) && to('players', t('menu.players')),
      role === 'host' && to('share', t('menu.share')),
      to('board', t('menu.board')),
    ]],
    ['rules', [to('rules', t('menu.rules'))]],
  ];
  sheet(t('menu.title'), [
    h('nav', { 'aria-label': t('menu.title') }, groups.map(([name, ways]) => h('section', { class: 'group' },
      h('h3', {}, t(`menu.group.${name}`)), h('ul', { class: 'rows' }, ways.filter(Boolean).map((way) => h('li', { class: 'row' }, way)))))),
    h('section', { class: 'group' }, h('h3', {}, t('menu.group.settings')), tongues(() => {
      closeSheets();
      dispatchEvent(new HashChangeEvent('hashchange'));
    })),
  ]);
}

/** One way to the end: what it came to and who pays whom, first; once it is closed, the payments themselves. */
function ending(state, role, to) {
  const forMoney = state.balances !== null;
  if (state.status === 'open' && role === 'host') return to('close', t(forMoney || state.options.point_value ? 'menu.settle_and_close' : 'menu.close'));
  return forMoney && to('settlement', t('menu.settle'));
}

const link = (href, key, label) => h('a', { class: 'row-link', href, 'data-key': key }, h('span', { class: 'row-name' }, label), icon('on'));

/** The circle that the evening is of, and its next evening: the same people meet there. */
const inCircle = ({ id, name }) => [
  link(`#/c/${id}`, 'to-circle', t('menu.our_circle', { name })),
  roleIn(id) !== 'viewer' && link(`#/c/${id}/tonight`, 'again', t('menu.again')),
];
