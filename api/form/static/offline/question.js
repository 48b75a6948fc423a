// A deal of this phone's own that the server would not have, while others wait behind it. Nothing is
// dropped and nothing goes on until a person has seen both versions and said what became of it.

import { read } from '../deal.js';
import { h } from '../dom.js';
import { asHeard, deal, evening } from '../evening.js';
import { sheet } from '../page.js';
import { dealOf, refusedIn, settle, unsent } from '../queue.js';
import { again } from '../recording/depth.js';
import { told } from '../taken.js';
import { speakAlso, t } from '../words.js';

let asked = null;

export async function question(id) {
  const refused = refusedIn(id);
  if (!refused || asked?.isConnected) return;
  await speakAlso('offline.');
  const { entry, trouble } = refused;
  const number = dealOf(entry) ?? entry.note.undoes;
  const home = `#/s/${id}`;
  const taken = trouble.code === 'deal_taken';
  const theirs = taken ? trouble.body.deal ?? await deal(number).catch(() => null) : null;
  if (evening()?.id !== id || asked?.isConnected) return;
  // All that is told of a deal goes with it; so does its undoing, and how it was told instead.
  const goes = (one) => one === entry || (number !== undefined && number === (one.note.undoes ?? dealOf(one)));
  const open = entry.body.actions?.[0].type !== 'open_deal'; // the server has it already, and keeps its number
  const stays = taken || open || entry.note.undoes !== undefined;
  const next = asHeard().deal.phase === 'waiting' ? asHeard().deal.number : number;
  const shift = next - number;
  const choose = (key, words, change, big = false) => h('button', {
    type: 'button', 'data-key': key, class: big ? 'button big' : 'button',
    onclick: async () => {
      await settle(id, change, asHeard().version);
      asked.close();
      if (location.hash === home) again();
      else location.hash = home;
    },
  }, words);
  asked = sheet(number === undefined ? said(entry) : t(taken ? 'taken.title' : 'offline.refused', { number }), [
    h('p', {}, taken ? t('taken.what') : trouble.message),
    theirs && [h('h3', {}, t('taken.theirs')), h('p', { class: 'said' }, theirs.outcome?.text ?? t('taken.unknown'))],
    h('h3', {}, t('taken.mine')),
    h('p', { class: 'said' }, said(entry)),
    choose('give-up', t('taken.give_up'), (one) => (goes(one) ? null : stays ? one : moved(one, number, -1)), true),
    taken ? shift > 0 && choose('as-next', t('taken.as_next', { number: next }), (one) => moved(one, number, shift))
      : choose('try-again', t('offline.try_again'), (one) => (one === entry ? { ...one, ifMatch: Number.isInteger(one.ifMatch) ? asHeard().version : one.ifMatch } : one)),
  ]);
}

/** The same deal under another number; deals before `first`, and what is no deal, stay as they are. */
function moved(entry, first, by) {
  const { undoes } = entry.note;
  if (undoes >= first) return { ...entry, note: { undoes: undoes + by } }; // of which table it opens again is not known any more
  const number = dealOf(entry);
  if (number === undefined || number < first) return entry;
  const actions = entry.body.actions.map((action) => (action.type === 'open_deal' ? { ...action, number: number + by } : action));
  const name = entry.note.number === undefined ? 'live' : 'number';
  return { ...entry, body: { ...entry.body, actions }, note: { ...entry.note, [name]: number + by } };
}

function said({ body, note }) {
  if (note.undoes !== undefined) return t('offline.undo', { number: note.undoes });
  const actions = note.taps ?? body.actions;
  if (!actions) return note.what ?? t('offline.other');
  return told(read(actions, { seats: evening().seats }), actions) || t('offline.count', { count: actions.length });
}
