// Who may correct a deal here and now, and what has become of one already.

import { h } from '../../ui/elements.js';
import { roleIn } from '../../core/device_storage.js';
import { unsent } from '../../core/sync_queue.js';
import { t } from '../../core/translator.js';

/** A closed deal of an open evening that still counts; what is on its way to the server comes first. */
export const mayCorrect = (state, deal) => state.status === 'open' && deal.status === 'closed'
  && roleIn(state.id) !== 'viewer' && unsent(state.id).length === 0;

/** Corrected, scored again, or out of the count: said beside the deal. */
export function fate({ number, status, before }) {
  if (status === 'voided') return h('span', { class: 'tag' }, t('fate.voided'));
  const last = before?.at(-1);
  if (!last) return null;
  return h('span', { class: 'tag first' }, t(last.because_of === number ? 'fate.corrected' : 'fate.rescored'));
}
