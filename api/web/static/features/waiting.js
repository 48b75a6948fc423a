// What waits on this phone, in the order in which it will go: to look at, to take back, to hurry on.

import { read } from '../domain/deal.js';
import { h } from '../ui/elements.js';
import { evening, foreseen, onEvening } from '../core/session_store.js';
import { act, closeSheets, refill, sheet } from '../ui/page.js';
import { dealOf, mayTakeBack, nudge, onQueue, unsent } from '../core/sync_queue.js';
import { told } from './conflicts/taken_number.js';
import { undo, undoButton } from './undo.js';
import { speakAlso, t } from '../core/translator.js';
import { question } from './conflicts/refused_deal.js';

export async function waiting(home) {
  await speakAlso('offline.');
  const { id } = evening();
  const body = h('div', {});
  const draw = () => refill(body, list(id), ways(id, home));
  draw();
  const dialog = sheet(t('offline.title'), [body]);
  const stops = [onQueue(draw), onEvening(draw)];
  dialog.addEventListener('close', () => stops.forEach((stop) => stop()), { once: true });
}

function list(id) {
  const entries = unsent(id);
  if (entries.length === 0) return h('p', { class: 'empty' }, t('offline.nothing'));
  return h('div', {}, h('p', {}, t('offline.what')), !foreseen() && h('p', {}, t('offline.stands')), h('ol', { class: 'rows' }, entries.map((entry) => h('li', { class: 'row', 'data-waits': numberOf(entry) ?? '' },
    h('span', { class: 'row-name' }, named(entry)),
    h('span', { class: entry.refused ? 'tag due' : 'tag' }, t(`offline.${standing(entry)}`))))));
}

function ways(id, home) {
  const entries = unsent(id);
  if (entries.length === 0) return null;
  const refused = entries.find((entry) => entry.refused);
  return h('div', { class: 'pair' },
    refused ? act('answer', t('offline.answer'), () => { closeSheets(); question(id); }, { big: true }) : act('hurry', t('offline.now'), nudge, { big: true }),
    mayTakeBack(id) && undoButton('take-back', (pressed) => { closeSheets(); undo(home, pressed); }, evening()));
}

const standing = ({ refused, tried }) => (refused ? 'asks' : tried ? 'going' : 'waits');
const numberOf = (entry) => dealOf(entry) ?? entry.note.undoes;

function named(entry) {
  const number = numberOf(entry);
  if (number === undefined) return [entry.note.what ?? t('offline.other')];
  const { note: { undoes, what, taps }, body } = entry;
  if (undoes !== undefined && !what) return [t('offline.undo', { number })];
  const actions = taps ?? body.actions;
  const said = undoes !== undefined ? what : told(read(actions, { seats: evening().seats }), actions);
  return [h('b', {}, t('offline.deal', { number })), said && h('span', { class: 'said' }, said)];
}
