// The book's key in four words, for people to compare with other phones and with a printed statement.

import { readProofs } from '../../core/database.js';
import { loadAllSentences, t } from '../../core/translator.js';
import { h } from '../../ui/elements.js';
import { keyWords } from '../../verify/key_chain.js';

/** The line for a key. */
export const keyLine = (key) => h('section', { class: 'book-key', 'data-key': 'book-key' },
  h('p', {}, t('proof.key'), ' ', h('b', { translate: 'no' }, keyWords(key))),
  h('p', { class: 'muted' }, t('proof.key_what')));

/** The line for the key that this device keeps for a session; null before it has seen one. */
export async function keptKeyLine(id) {
  const [record] = await Promise.all([readProofs(id), loadAllSentences()]);
  return record?.key ? keyLine(record.key) : null;
}
