// Money or points changing places, a line for each posting: from, how much, to, and by which rule.

import { coins } from './coins.js';
import { h, icon } from './elements.js';
import { person } from './player_tokens.js';
import { party, signed } from '../domain/points.js';
import { t } from '../core/translator.js';

/** `player:p1`, `pot`, `bet:2`: an account as people at the table call it. */
function account(state, name, amount) {
  const [kind, which] = name.split(':');
  if (kind === 'player') return person(state, which);
  return h('span', { class: 'person thing' }, coins(amount, state.options.stake),
    h('span', { class: 'name' }, kind === 'pot' ? t('table.pot') : t('table.bet')));
}

/** `seen`: how many of them stood here already; only what is new moves. */
export function lines(state, known, money, seen) {
  return h('ul', { class: 'rows postings' }, known.postings.map((posting, index) => {
    const item = h('li', { class: index < seen ? 'row posting' : 'row posting arriving' },
      posting.unit === 'points' ? given(state, posting) : h('span', { class: 'flow' },
        account(state, posting.from, posting.amount),
        h('span', { class: 'way' }, h('b', {}, money.plain(posting.amount)), icon('arrow'), h('span', { class: 'aside' }, t('money.to'))),
        account(state, posting.to, posting.amount)),
      h('span', { class: 'why dim' }, cited(state, posting.why ?? known.why?.[index] ?? '')));
    item.style.setProperty('--turn', index - seen);
    return item;
  }));
}

const RULE = /(§\d+(?:\.\d+)?)/;

/** A sentence in which the number of a rule leads to that rule. */
const cited = ({ id }, sentence) => sentence.split(RULE).map((part) => (RULE.test(part)
  ? h('a', { class: 'rule', href: `#/s/${id}/rules/${part.slice(1)}` }, part) : part));

/** Points have one end at the table; the other is the sheet they are written on. */
function given(state, { from, to, amount }) {
  const points = to === SHEET ? -amount : amount;
  const keeper = (to === SHEET ? from : to).replace(/^score:/, '');
  return h('span', { class: 'flow' }, party(state, keeper), h('b', { class: 'amount' }, signed(points)));
}

/** What every account has gained by these postings, and less than nothing if it has lost. */
export function changes(postings) {
  const gained = new Map();
  for (const { from, to, amount } of postings) {
    for (const [account, sum] of [[from, -amount], [to, amount]]) gained.set(account, (gained.get(account) ?? 0) + sum);
  }
  return gained;
}

const SHEET = 'sheet';
