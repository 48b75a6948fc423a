// The sheet that lists the writes waiting on this device, in the order in which the sync queue sends them.

import { currentSession, sessionState, subscribe } from '../core/session_store.js';
import { mayTakeBackWrite, sendNow } from '../core/sync_queue.js';
import { t } from '../core/translator.js';
import { dealOfWrite } from '../domain/queued_write.js';
import { dealSentence } from '../ui/action_sentences.js';
import { buildElement, h } from '../ui/elements.js';
import { actionButton, closeSheets, openSheet, refillPart } from '../ui/page.js';
import { askAboutRefused } from './conflicts/refused_write.js';
import { undoButton, undoLastAction } from './undo.js';

export async function openWaitingList(home) {
  const { id } = currentSession();
  const body = buildElement(h('div', {}));
  const draw = () => refillPart(body, waitingRows(), waitingButtons(id, home));
  draw();
  const dialog = openSheet(t('offline.title'), [body]);
  const stop = subscribe(draw);
  dialog.addEventListener('close', stop, { once: true });
}

function waitingRows() {
  const entries = sessionState().waiting;
  if (entries.length === 0) return h('p', { class: 'empty' }, t('offline.nothing'));
  return h('div', {}, h('p', {}, t('offline.what')),
    !sessionState().isForecastComplete && h('p', {}, t('offline.stands')),
    h('ol', { class: 'rows' }, entries.map(waitingRow)));
}

const waitingRow = (entry) => h('li', { class: 'row', 'data-waits': entryDeal(entry) ?? '' },
  h('span', { class: 'row-name' }, entryName(entry)),
  h('span', { class: entry.refused ? 'tag due' : 'tag' }, t(`offline.${entryStatus(entry)}`)));

function waitingButtons(id, home) {
  const entries = sessionState().waiting;
  if (entries.length === 0) return null;
  const refused = entries.find((entry) => entry.refused);
  const answer = () => { closeSheets(); askAboutRefused(id); };
  const undoLastWrite = (pressed) => { closeSheets(); undoLastAction(home, pressed); };
  return h('div', { class: 'pair' },
    refused ? actionButton('answer', t('offline.answer'), answer, { big: true })
      : actionButton('hurry', t('offline.now'), sendNow, { big: true }),
    mayTakeBackWrite(id) && undoButton('take-back', undoLastWrite, currentSession()));
}

const entryStatus = ({ refused, tried }) => (refused ? 'asks' : tried ? 'going' : 'waits');
const entryDeal = (entry) => dealOfWrite(entry) ?? entry.note.undoes;

function entryName(entry) {
  const number = entryDeal(entry);
  if (number === undefined) return [entry.note.what ?? t('offline.other')];
  const { note: { undoes, what: label, taps }, body } = entry;
  if (undoes !== undefined && !label) return [t('offline.undo', { number })];
  const actions = taps ?? body.actions;
  const sentence = undoes !== undefined ? label
    : dealSentence(actions, currentSession().seats);
  return [h('b', {}, t('offline.deal', { number })), sentence && h('span', { class: 'said' }, sentence)];
}
