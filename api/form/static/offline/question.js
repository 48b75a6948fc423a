// A deal of this phone's own that the server would not have, while others wait behind it. Nothing is
// dropped and nothing goes on until a person has seen both versions and said what became of it.

import { read } from '../deal.js';
import { h } from '../dom.js';
import { asHeard, deal, evening } from '../evening.js';
import { sheet } from '../page.js';
import { refusedIn, settle, unsent } from '../queue.js';
import { again } from '../recording/depth.js';
import { inWords } from '../taken.js';
import { speakAlso, t } from '../words.js';

let open = null;

export async function question(id) {
  const refused = refusedIn(id);
  if (!refused || open?.isConnected) return;
  await speakAlso('offline.');
  const { entry, trouble } = refused;
  const number = numberOf(entry) ?? entry.note.undoes;
  const home = `#/s/${id}`;
  const taken = trouble.code === 'deal_taken';
  const theirs = taken ? trouble.body.deal ?? await deal(number).catch(() => null) : null;
  if (evening()?.id !== id || open?.isConnected) return;
  // What was undone here goes with its deal, and so does how it was told instead.
  const undone = unsent(id).some(({ note }) => note.undoes === number);
  const goes = (one) => one === entry || (undone && number === (one.note.undoes ?? numberOf(one)));
  const stays = taken || entry.note.undoes !== undefined;
  const next = asHeard().deal.phase === 'waiting' ? asHeard().deal.number : number;
  const shift = next - number;
  const choose = (key, words, change, big = false) => h('button', {
    type: 'button', 'data-key': key, class: big ? 'button big' : 'button',
    onclick: async () => {
      await settle(id, change);
      open.close();
      if (location.hash === home) again();
      else location.hash = home;
    },
  }, words);
  open = sheet(t(taken ? 'taken.title' : 'offline.refused', { number }), [
    h('p', {}, taken ? t('taken.what') : trouble.message),
    theirs && [h('h3', {}, t('taken.theirs')), h('p', { class: 'said' }, theirs.outcome?.text ?? t('taken.unknown'))],
    h('h3', {}, t('taken.mine')),
    h('p', { class: 'said' }, told(entry)),
    choose('give-up', t('taken.give_up'), (one) => (goes(one) ? null : stays ? one : moved(one, number, -1)), true),
    taken ? shift > 0 && choose('as-next', t('taken.as_next', { number: next }), (one) => moved(one, number, shift))
      : choose('try-again', t('offline.try_again'), (one) => (one === entry ? { ...one } : one)),
  ]);
}

const numberOf = ({ note }) => note.number ?? note.live;

/** The same deal under another number; deals before `first`, and what is no deal, stay as they are. */
function moved(entry, first, by) {
  const { undoes } = entry.note;
  if (undoes >= first) return { ...entry, note: { undoes: undoes + by } }; // of which table it opens again is not known any more
  const number = numberOf(entry);
  if (number === undefined || number < first) return entry;
  const actions = entry.body.actions.map((action) => (action.type === 'open_deal' ? { ...action, number: number + by } : action));
  const name = entry.note.number === undefined ? 'live' : 'number';
  return { ...entry, body: { ...entry.body, actions }, note: { ...entry.note, [name]: number + by } };
}

/** Five tricks are told in a sentence; of what was bid and counted, at least what kind of thing was said. */
function told({ body, note }) {
  const { seats } = evening();
  if (note.undoes !== undefined) return t('offline.undo', { number: note.undoes });
  return inWords(read(note.taps ?? body.actions, { seats })) || t('offline.count', { count: body.actions.length });
}
