// The sheet that lists the writes of the session that wait, in the order in which the sync queue sends them.

import { areWritesStored } from '../../core/database.js';
import { currentSession, sessionState, subscribe } from '../../core/session_store.js';
import { mayTakeBackWrite, sendNow } from '../../core/sync_queue.js';
import { t } from '../../core/translator.js';
import { dealAboutWrite, playedActions } from '../../domain/deal.js';
import { dealSentence } from '../../ui/action_sentences.js';
import { buildElement, h } from '../../ui/elements.js';
import { actionButton, closeSheets, openSheet, refillPart } from '../../ui/page.js';
import { undoButton, undoLastAction } from '../undo.js';
import { askAboutRefused } from './refused_write.js';

export function openWaitingList(home) {
  const { id } = currentSession();
  const body = buildElement(h('div', {}));
  const draw = () => refillPart(body, waitingRows(), waitingButtons(id, home));
  draw();
  const dialog = openSheet(t(areWritesStored() ? 'offline.title' : 'offline.title_unstored'), [body]);
  const stop = subscribe(draw);
  dialog.addEventListener('close', stop, { once: true });
}

function waitingRows() {
  const writes = sessionState().waiting;
  if (writes.length === 0) return h('p', { class: 'empty' }, t('offline.nothing'));
  return h('div', {}, h('p', {}, t(areWritesStored() ? 'offline.what' : 'offline.what_unstored')),
    !sessionState().isForecastComplete && h('p', {}, t('offline.stands')),
    h('ol', { class: 'rows' }, writes.map(waitingRow)));
}

function waitingRow(write) {
  const { deal, sentence } = nameParts(write);
  return h('li', { class: 'row', 'data-waits': dealAboutWrite(write) ?? '' },
    h('span', { class: 'row-name' }, deal ? [h('b', {}, deal), sentence && h('span', { class: 'sentence' },
      sentence)] : sentence),
    h('span', { class: write.refused ? 'tag due' : 'tag' }, t(`offline.${writeStatus(write)}`)));
}

function waitingButtons(id, home) {
  const writes = sessionState().waiting;
  if (writes.length === 0) return null;
  const refused = writes.find((write) => write.refused);
  const answer = () => { closeSheets(); askAboutRefused(id); };
  const undoLastWrite = (pressed) => { closeSheets(); undoLastAction(home, pressed); };
  return h('div', { class: 'button-pair' },
    refused ? actionButton('answer', t('offline.answer'), answer, { primary: true })
      : actionButton('hurry', t('offline.now'), sendNow, { primary: true }),
    mayTakeBackWrite(id) && undoButton('take-back', undoLastWrite, currentSession()));
}

const writeStatus = ({ refused, tried }) => (refused ? 'asks' : tried ? 'going' : 'waits');

/** What a write is called: its deal, if it is about one, and a sentence. */
function nameParts(write) {
  const number = dealAboutWrite(write);
  if (number === undefined) return { sentence: write.note.what ?? t('offline.other') };
  const { note: { undoes, what: label, taps }, body } = write;
  if (undoes !== undefined && !label) return { sentence: t('offline.undo', { number }) };
  const actions = taps ?? playedActions(body);
  return { deal: t('table.last', { number }),
    sentence: label ?? (undoes === undefined && dealSentence(actions, currentSession().seats)) };
}

/** These writes and a draft as text, for another phone to record. */
export const textToRecord = (writes, draft) => [...writes.map(nameParts),
  draft && { deal: t('table.last', { number: draft.number }),
    sentence: dealSentence([...draft.heard ?? [], ...draft.taps], currentSession().seats) },
].filter(Boolean).map(({ deal, sentence }) => [deal, sentence].filter(Boolean).join(': ')).join('\n');
