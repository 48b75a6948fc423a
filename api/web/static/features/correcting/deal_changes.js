// A corrected deal before and after: each of its changes with the reason, and what it led to.

import { formatMoment, language, t } from '../../core/translator.js';
import { playedActions } from '../../domain/deal.js';
import { actionSentences } from '../../ui/action_sentences.js';
import { h } from '../../ui/elements.js';
import { postingLines } from '../../ui/table_view.js';

const QUOTATION_MARKS = { sv: '””', en: '“”', da: '»«', de: '„“' };
const FEW_ACTIONS = 8; // more sentences than this are folded

/** Text in the quotation marks of the user's language. */
export function quoteText(text) {
  const [openingMark, closingMark] = QUOTATION_MARKS[language()];
  return `${openingMark}${text}${closingMark}`;
}

/**
 * Every change of this deal, before and after side by side, the latest first; null for an unchanged deal. A
 * rescoring names the deal whose correction caused it.
 */
export function dealChanges(state, record, money) {
  const earlierRecords = record.before ?? [];
  if (earlierRecords.length === 0) return null;
  const steps = earlierRecords.map((earlierRecord, index) =>
    ({ earlierRecord, laterRecord: earlierRecords[index + 1] ?? record }));
  return h('section', { class: 'compare' }, h('h2', {}, t('compare.title')),
    steps.toReversed().map((step) => changeArticle(state, record, money, step)));
}

function changeArticle(state, record, money, { earlierRecord, laterRecord }) {
  const moment = formatMoment(earlierRecord.at);
  const isOwnCorrection = earlierRecord.corrected_deal === record.number;
  const isVoided = laterRecord === record && record.status === 'voided';
  const sentences = [earlierRecord, isVoided ? { actions: [] } : laterRecord]
    .map((version) => actionSentences(playedActions(version)));
  return h('article', { class: 'change' },
    h('p', { class: 'muted' }, isOwnCorrection
      ? t(isVoided ? 'compare.voided' : 'compare.corrected', { when: moment })
      : t('compare.rescored', { when: moment, number: earlierRecord.corrected_deal })),
    earlierRecord.reason && h('p', { class: 'sentence' }, quoteText(earlierRecord.reason)),
    h('div', { class: 'before-and-after' },
      changeHalf(state, money, earlierRecord, t('compare.before'), sentences[0], sentences[1]),
      changeHalf(state, money, laterRecord, t('compare.after'), sentences[1], sentences[0])));
}

function changeHalf(state, money, record, title, sentences, otherSentences) {
  const list = h('ol', { class: 'text-panel' }, sentences.map((sentence, index) =>
    h('li', { class: sentence === otherSentences[index] ? null : 'changed' }, sentence)));
  return h('section', { class: 'version' }, h('h3', {}, title),
    h('p', { class: 'sentence' }, record.outcome?.text ?? ''),
    sentences.length > FEW_ACTIONS
      ? h('details', { class: 'disclosure' },
        h('summary', {}, t('compare.said', { count: sentences.length })), list)
      : sentences.length > 0 && list,
    record.postings.length > 0 ? postingLines(state, record, money, record.postings.length)
      : h('p', { class: 'muted' }, t('compare.nothing')));
}
