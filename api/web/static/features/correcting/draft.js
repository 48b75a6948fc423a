// The half-made correction of an evening, kept on this phone; it may begin with actions that were tapped
// elsewhere.

import { roleInSession, writeItem } from '../../core/device_storage.js';
import { unsentWrites } from '../../core/sync_queue.js';
import { t } from '../../core/translator.js';
import { h } from '../../ui/elements.js';

/** The name it is kept under. */
export const correctionDraftKey = (id) => `correct.${id}`;

/** What a correction begins from: another record makes it be about something else. */
export const correctionBasis = ({ actions, before: earlierRecords, status }) =>
  JSON.stringify([actions, earlierRecords?.length, status]);

/** Fills in the correction of this deal. */
export const keepCorrection = (id, record, actions) => writeItem(correctionDraftKey(id),
  { number: record.number, before: correctionBasis(record), actions, reason: '' });

// Who may correct a deal here and now, and what has become of one already.

/** A closed deal of an open evening that still counts; what is on its way to the server comes first. */
export const mayCorrect = (state, deal) => state.status === 'open' && deal.status === 'closed'
  && roleInSession(state.id) !== 'viewer' && unsentWrites(state.id).length === 0;

/** Corrected, scored again, or out of the count: said beside the deal. */
export function correctionTag({ number, status, before: earlierRecords }) {
  if (status === 'voided') return h('span', { class: 'tag' }, t('fate.voided'));
  const lastRecord = earlierRecords?.at(-1);
  if (!lastRecord) return null;
  return h('span', { class: 'tag first' }, t(lastRecord.because_of === number ? 'fate.corrected'
    : 'fate.rescored'));
}

// Why something is changed, in somebody's own words; the usual reasons are a tap away.
const MAX_REASON_LENGTH = 200; // characters, as the server takes them

/** `suggested`: sentences. `changed(text)` at every letter; `key` tells two of them apart. */
export function reasonField({ suggested, text, changed, key = 'reason' }) {
  const input = h('input', {
    type: 'text', value: text, maxlength: MAX_REASON_LENGTH, autocomplete: 'off', 'data-key': key,
    'aria-label': t('correct.reason'),
    placeholder: t('correct.reason'), oninput: (event) => changed(event.target.value),
  });
  const fillIn = (words) => { input.value = words; changed(words); };
  return h('fieldset', { 'aria-label': t('correct.why') }, h('legend', {}, t('correct.why')),
    h('div', { class: 'few reasons' }, suggested.map((words, index) => h('button', {
      type: 'button', class: 'chip', 'data-key': `${key}-${index}`, onclick: () => fillIn(words),
    }, words))), input);
}
