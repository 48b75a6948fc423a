// The numbers themselves, for everybody and for ears: what each evening brought, and each member's season.

import { h } from './elements.js';
import { sign } from '../domain/points.js';
import { shortDate, t } from '../core/translator.js';
import { gameNamed } from '../domain/games.js';

/** Evenings down, members across: what each brought, and what it had come to at the end. */
export function byEvening(nights, members, money) {
  const playing = members.filter(({ id }) => nights.some(({ results }) => id in results));
  const sum = (amount) => h('td', { class: sign(amount ?? 0) }, amount === undefined ? '–' : money.bare(amount) || '0');
  return table(t('season.by_evening'), 'by-evening',
    [t('season.evening'), ...playing.map(({ name }) => name)],
    nights.map(({ begun_at: begun, game, results }) => [h('span', {}, shortDate(begun), h('small', { class: 'dim' }, gameNamed(game))), playing.map(({ id }) => sum(results[id]))]),
    [t('season.together'), playing.map(({ id }) => sum(nights.at(-1).totals[id]))]);
}

/** Members down: how many evenings and deals, what they came to, and what is not settled. */
export function byMember(members, currency, money) {
  const sum = (purse) => h('td', { class: sign(purse[currency] ?? 0) }, money.bare(purse[currency] ?? 0) || '0');
  return table(t('season.figures'), 'by-member',
    [t('season.member'), t('season.evenings'), t('season.deals'), ...(money ? [t('season.result'), t('season.open')] : [])],
    members.map((one) => [one.name, [h('td', {}, one.evenings), h('td', {}, one.deals), ...(money ? [sum(one.result), sum(one.open)] : [])]]));
}

// Where there is no room for its columns each row becomes a list, every number beside its heading: nothing lies outside.
export function table(title, key, heads, rows, last = null) {
  const row = ([head, cells]) => {
    cells.forEach((cell, place) => { cell.setAttribute('role', 'cell'); cell.dataset.head = heads[place + 1]; });
    return h('tr', { role: 'row' }, h('th', { scope: 'row', role: 'rowheader' }, head), cells);
  };
  return h('section', {}, h('h2', {}, title),
    h('div', { class: heads.length > 5 ? 'figures many' : 'figures', 'data-key': key }, h('table', { role: 'table', 'aria-label': title },
      h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, heads.map((head) => h('th', { scope: 'col', role: 'columnheader' }, head)))),
      h('tbody', { role: 'rowgroup' }, rows.map(row)),
      last && h('tfoot', { role: 'rowgroup' }, row(last)))));
}
