// The numbers themselves, for everybody and for ears: what each evening brought, and each member's season.

import { h } from '../dom.js';
import { gameNamed } from '../games/index.js';
import { sign } from '../points.js';
import { shortDate, t } from '../words.js';

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

// Wider than the phone it scrolls in itself, by finger or by key, and the page stands still.
export function table(title, key, heads, rows, last = null) {
  const row = ([head, cells]) => h('tr', {}, h('th', { scope: 'row' }, head), cells);
  return h('section', {}, h('h2', {}, title),
    h('div', { class: 'figures', tabindex: '0', role: 'region', 'aria-label': title, 'data-key': key }, h('table', {},
      h('thead', {}, h('tr', {}, heads.map((head) => h('th', { scope: 'col' }, head)))),
      h('tbody', {}, rows.map(row)),
      last && h('tfoot', {}, row(last)))));
}
