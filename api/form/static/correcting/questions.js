// Two questions before something is taken out of the count: the deal itself, or later ones that no longer fit.

import { h } from '../dom.js';
import { sheet } from '../page.js';
import { t } from '../words.js';
import { reason } from './reason.js';

const button = (key, words, onclick, big = false) => h('button', { type: 'button', class: big ? 'button big' : 'button', 'data-key': key, onclick }, words);

/** "This deal never counted": asked once, with the reason. */
export function neverCounted({ number, text, sure }) {
  let why = text;
  const dialog = sheet(t('never.title', { number }), [
    h('p', {}, t('never.what')),
    reason({ suggested: [t('never.misdealt'), t('never.missing'), t('never.twice')], text, key: 'never-why', changed: (words) => { why = words; } }),
    h('div', { class: 'pair' },
      button('never-back', t('never.back'), () => dialog.close()),
      button('never-sure', t('never.send', { number }), () => { dialog.close(); sure(why); }, true)),
  ]);
}

/** Later deals that could not have been played then: named with what they came to, and let go or kept. */
export function laterBreak({ number, broken, deals, letGo }) {
  const count = broken.length;
  const dialog = sheet(t('later.title'), [
    h('p', {}, t('later.what', { count, number })),
    h('ol', { class: 'rows' }, broken.map((one) => h('li', { class: 'row' }, h('span', { class: 'nth' }, one),
      h('span', { class: 'row-name said' }, deals.find((deal) => deal.number === one)?.outcome?.text ?? '')))),
    h('p', { class: 'dim' }, t('later.then', { count })),
    h('div', { class: 'pair' },
      button('later-back', t('later.back'), () => dialog.close()),
      button('later-void', t('later.let_go', { count }), () => { dialog.close(); letGo(); }, true)),
  ]);
}
