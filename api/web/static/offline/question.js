// A deal of this phone's own that the server would not have, while others wait behind it. Nothing is
// dropped and nothing goes on until a person has seen both versions and said what became of it.

import { played, read } from '../deal.js';
import { h } from '../dom.js';
import { asHeard, deal, evening } from '../evening.js';
import { draft, keepDraft } from '../memory.js';
import { sheet, unwarn, warn } from '../page.js';
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
  const passed = taken || trouble.body.next > number; // nothing can be told under this number any more
  const over = taken || number < asHeard().deal.number; // then there is something else in the book
  const known = over ? trouble.body.deal ?? await deal(number).catch(() => null) : null;
  const theirs = known?.provisional ? null : known;
  if (evening()?.id !== id || asked?.isConnected) return;
  // All that is told of a deal goes with it; so does its undoing, and how it was told instead.
  const goes = (one) => one === entry || (number !== undefined && number === (one.note.undoes ?? dealOf(one)));
  const mine = unsent(id).filter(goes);
  const open = entry.body.actions?.[0].type !== 'open_deal'; // the server has it already, and keeps its number
  const stays = passed || open || entry.note.undoes !== undefined;
  const { version, deal: { number: now, phase } } = asHeard();
  const between = phase === 'waiting';
  const next = between ? now : number;
  const shift = next - number;
  const names = entry.body.actions?.every(({ type }) => type !== 'undo' && type !== 'merge') ?? true; // what it is about
  // Tried again, it must be about the deal that it was meant for, and about nothing that comes while this is read.
  const same = entry.note.undoes !== undefined ? number === (between ? now - 1 : now)
    : number === undefined ? names : !open || (!between && number === now);
  // A half-told deal goes along with those before it, or what is delivered under its number would take it away.
  const follow = (by) => {
    const half = draft(id);
    if (by !== 0 && half?.number > number) keepDraft(id, { ...half, number: half.number + by });
  };
  const choose = (key, words, change, { by = 0, big = false } = {}) => h('button', {
    type: 'button', 'data-key': key, class: big ? 'button big' : 'button',
    onclick: async () => {
      decided = true;
      asked.close();
      await left(home); // where a deal is half told, its number is what is decided here
      follow(by);
      await settle(id, change, version);
      if (location.hash === home) again();
    },
  }, words);
  let decided = false;
  const here = location.hash;
  asked = sheet(number === undefined ? said(mine) : t(taken ? 'taken.title' : 'offline.refused', { number }), [
    h('p', {}, taken ? t('taken.what') : trouble.message),
    theirs && [h('h3', {}, t('taken.theirs')), h('p', { class: 'said' }, theirs.outcome?.text ?? t('taken.unknown'))],
    h('h3', {}, t('taken.mine')),
    h('p', { class: 'said' }, said(mine)),
    choose('give-up', t('taken.give_up'), (one) => (goes(one) ? null : stays ? one : moved(one, number, -1)), { by: stays ? 0 : -1, big: true }),
    passed ? shift > 0 && choose('as-next', t('taken.as_next', { number: next }), (one) => moved(one, number, shift), { by: shift })
      : same && choose('try-again', t('offline.try_again'), (one) => (one === entry ? { ...one, ifMatch: Number.isInteger(one.ifMatch) ? version : one.ifMatch } : one)),
  ]);
  // A slip beside the sheet is no answer: nothing goes on until there is one, and that is said.
  asked.addEventListener('close', () => {
    if (decided || location.hash !== here) return;
    warn([number === undefined ? t('offline.other') : t('offline.refused', { number }), ' ',
      h('button', { type: 'button', class: 'button quiet', 'data-key': 'ask-again', onclick: () => { unwarn(); question(id); } }, t('offline.answer'))]);
  }, { once: true });
}

/** No other screen than the table is on. */
const left = (home) => location.hash === home || new Promise((resolve) => {
  addEventListener('hashchange', resolve, { once: true });
  location.hash = home;
});

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

/** Everything that waits here to be said of it, one after the other. */
function said([{ body, note }, ...more]) {
  const undone = note.undoes !== undefined && t('offline.undo', { number: note.undoes });
  const first = note.taps ?? body.actions;
  if (undone && more.length === 0) return undone;
  if (!first) return note.what ?? t('offline.other');
  const actions = more.reduce((before, one) => (one.note.undoes !== undefined ? one.note.back?.told ?? before.slice(0, -1)
    : [...before, ...played(one.body)]), undone ? note.back?.told ?? [] : played({ actions: first }));
  const words = told(read(actions, { seats: evening().seats }), actions) || t('offline.count', { count: actions.length });
  return undone ? `${undone}. ${words}` : words;
}
