// Before and after, side by side: what was said, what it came to, what moved.
// A deal that was only scored again says which correction made it so.

import { h } from '../../ui/elements.js';
import { played } from '../../domain/deal.js';
import { lines } from '../../ui/posting_lines.js';
import { allInWords } from '../../ui/action_sentences.js';
import { language, moment, t } from '../../core/translator.js';

const QUOTES = { sv: '””', en: '“”', da: '»«', de: '„“' };
const FEW = 8; // sentences that are read at a glance; more are folded away

/** In the quotation marks of the reader's language. */
export const quoted = (text) => `${QUOTES[language()][0]}${text}${QUOTES[language()][1]}`;

/** Every change of this deal, the latest first; nothing where there was none. */
export function beforeAndAfter(state, known, money) {
  const told = known.before ?? [];
  if (told.length === 0) return null;
  const steps = told.map((was, index) => ({ was, now: told[index + 1] ?? known }));
  return h('section', { class: 'compare' }, h('h2', {}, t('compare.title')), steps.toReversed().map((step) => change(state, known, money, step)));
}

function change(state, known, money, { was, now }) {
  const when = moment(was.at);
  const mine = was.because_of === known.number;
  const gone = now === known && known.status === 'voided';
  const said = [was, gone ? { actions: [] } : now].map((one) => allInWords(played(one)));
  return h('article', { class: 'change' },
    h('p', { class: 'dim' }, mine ? t(gone ? 'compare.voided' : 'compare.corrected', { when }) : t('compare.rescored', { when, number: was.because_of })),
    was.reason && h('p', { class: 'said' }, quoted(was.reason)),
    h('div', { class: 'twofold' },
      half(state, money, was, t('compare.before'), said[0], said[1]),
      half(state, money, now, t('compare.after'), said[1], said[0])));
}

function half(state, money, record, title, said, other) {
  const list = h('ol', { class: 'told' }, said.map((sentence, index) =>
    h('li', { class: sentence === other[index] ? null : 'changed' }, sentence)));
  return h('section', { class: 'half' }, h('h3', {}, title),
    h('p', { class: 'said' }, record.outcome?.text ?? ''),
    said.length > FEW ? h('details', { class: 'fold' }, h('summary', {}, t('compare.said', { count: said.length })), list) : said.length > 0 && list,
    record.postings.length > 0 ? lines(state, record, money, record.postings.length) : h('p', { class: 'dim' }, t('compare.nothing')));
}
