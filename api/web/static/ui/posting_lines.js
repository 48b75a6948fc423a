// Postings as lines: from, how much, to, and by which rule.

import { t } from '../core/translator.js';
import { formatSignedPoints } from '../domain/amounts.js';
import { h, icon } from './elements.js';
import { playerLabel, sideLabel } from './player_tokens.js';
import { coins } from './table_view.js';

/** The name of an account: `player:p1`, `pot`, `bet:2`. */
function accountLabel(state, name, amount) {
  const [kind, accountId] = name.split(':');
  if (kind === 'player') return playerLabel(state, accountId);
  return h('span', { class: 'person thing' }, coins(amount, state.options.stake),
    h('span', { class: 'name' }, kind === 'pot' ? t('table.pot') : t('table.bet')));
}

/** `seenLines`: how many were shown already; only new ones are animated. */
export function postingLines(state, deal, money, seenLines) {
  return h('ul', { class: 'rows postings' }, deal.postings.map((posting, index) => {
    const kind = index < seenLines ? 'row posting' : 'row posting arriving';
    return h('li', { class: kind, style: { '--turn': index - seenLines } },
      posting.unit === 'points' ? pointsLine(state, posting) : h('span', { class: 'flow' },
        accountLabel(state, posting.from, posting.amount),
        h('span', { class: 'way' }, h('b', {}, money.plain(posting.amount)), icon('arrow'),
          h('span', { class: 'aside' }, t('money.to'))),
        accountLabel(state, posting.to, posting.amount)),
      h('span', { class: 'why dim' }, ruleReference(state, posting.why ?? '')));
  }));
}

const RULE_PATTERN = /(§\d+(?:\.\d+)?)/;

/** The reason, with the number of its rule as a link. */
const ruleReference = ({ id }, sentence) => sentence.split(RULE_PATTERN)
  .map((part) => (RULE_PATTERN.test(part)
  ? h('a', { class: 'rule', href: `#/s/${id}/rules/${part.slice(1)}` }, part) : part));

/** Points have one account at the table; the other is the score sheet. */
function pointsLine(state, { from: source, to: target, amount }) {
  const points = target === SCORE_SHEET ? -amount : amount;
  const keeper = (target === SCORE_SHEET ? source : target).replace(/^score:/, '');
  return h('span', { class: 'flow' }, sideLabel(state, keeper),
    h('b', { class: 'amount' }, formatSignedPoints(points)));
}

/** What each account has gained or lost by these postings. */
export function changeLines(postings) {
  const gained = new Map();
  for (const { from: source, to: target, amount } of postings) {
    for (const [account, sum] of [[source, -amount], [target, amount]])
      gained.set(account, (gained.get(account) ?? 0) + sum);
  }
  return gained;
}

const SCORE_SHEET = 'sheet';
