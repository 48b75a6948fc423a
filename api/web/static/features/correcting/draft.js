// The draft of a correction, kept on this device; which deals can be corrected; the field for the reason.

import { roleInSession, saveTaps } from '../../core/device_storage.js';
import { sessionState } from '../../core/session_store.js';
import { t } from '../../core/translator.js';
import { h } from '../../ui/elements.js';

/** The storage key of a session's draft. */
export const correctionDraftKey = (id) => `correct.${id}`;

/** What a correction is based on, as text: a draft applies only while the record still gives the same. */
export const correctionBasis = ({ actions, before: earlierRecords, status }) =>
  JSON.stringify([actions, earlierRecords?.length, status]);

/** Stores a draft that corrects this record to `actions`. */
export const keepCorrection = (id, record, actions) => saveTaps(correctionDraftKey(id),
  { number: record.number, before: correctionBasis(record), actions, reason: '' });

/** Only a closed deal of an open session that still counts, and only once all writes have been sent. */
export const mayCorrect = (state, deal) => state.status === 'open' && deal.status === 'closed'
  && roleInSession(state.id) !== 'viewer' && sessionState().waiting.length === 0;

/** The tag beside a deal that was voided, corrected or rescored; null for any other. */
export function correctionTag({ number, status, before: earlierRecords }) {
  if (status === 'voided') return h('span', { class: 'tag' }, t('deal_status.voided'));
  const lastRecord = earlierRecords?.at(-1);
  if (!lastRecord) return null;
  return h('span', { class: 'tag first' }, t(lastRecord.corrected_deal === number ? 'deal_status.corrected'
    : 'deal_status.rescored'));
}

const MAX_REASON_LENGTH = 200; // characters, as the server accepts them

/**
 * A text field for the reason of a change, with a button per suggested sentence. `changed(text)` runs at each
 * keystroke; `key` tells fields apart.
 */
export function reasonField({ suggested, text, changed, key = 'reason' }) {
  const fillIn = ({ currentTarget: button }, words) => {
    button.closest('fieldset').querySelector('input').value = words;
    changed(words);
  };
  return h('fieldset', { 'aria-label': t('correct.why') }, h('legend', {}, t('correct.why')),
    h('div', { class: 'chip-row reasons' }, suggested.map((words, index) => h('button', {
      type: 'button', class: 'chip', 'data-key': `${key}-${index}`,
      onclick: (event) => fillIn(event, words),
    }, words))),
    h('input', {
      type: 'text', value: text, maxlength: MAX_REASON_LENGTH, autocomplete: 'off', 'data-key': key,
      'aria-label': t('correct.reason'), placeholder: t('correct.reason'),
      oninput: (event) => changed(event.target.value),
    }));
}
