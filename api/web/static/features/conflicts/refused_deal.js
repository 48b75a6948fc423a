// A deal of this phone's own that the server would not have, while others wait behind it. Nothing is
// dropped and nothing goes on until a person has seen both versions and said what became of it.

import { dealDraft, roleInSession, saveDraft } from '../../core/device_storage.js';
import { confirmedState, currentSession, fetchDeal } from '../../core/session_store.js';
import { dealOfWrite, onQueue, refusedWrite, settleRefusal, unsentWrites } from '../../core/sync_queue.js';
import { t } from '../../core/translator.js';
import { completeFromRecord, dealsAgree, playedActions, readDeal } from '../../domain/deal.js';
import { termsOf } from '../../domain/games.js';
import { h } from '../../ui/elements.js';
import { clearWarning, openSheet, redrawScreen, showWarning } from '../../ui/page.js';
import { keepCorrection } from '../correcting/draft.js';
import { versionsSideBySide } from './comparison_view.js';
import { dealSentence } from './taken_number.js';

let openQuestion = null;

export async function askAboutRefused(id) {
  const refused = refusedWrite(id);
  if (!refused || openQuestion?.isConnected) return;
  const { entry, trouble } = refused;
  const number = dealOfWrite(entry) ?? entry.note.undoes;
  const home = `#/s/${id}`;
  const taken = trouble.code === 'deal_taken';
  const passed = taken || trouble.body.next > number; // nothing can be told under this number any more
  const over = taken || number < confirmedState().deal.number; // then there is something else in the book
  const known = over ? trouble.body.deal ?? await fetchDeal(number).catch(() => null) : null;
  const theirs = known?.provisional ? null : known;
  if (currentSession()?.id !== id || openQuestion?.isConnected) return;
  // All that is told of a deal goes with it; so does its undoing, and how it was told instead.
  const goes = (one) => one === entry || (number !== undefined
    && number === (one.note.undoes ?? dealOfWrite(one)));
  const mine = unsentWrites(id).filter(goes);
  // the server has it already, and keeps its number
  const open = entry.body.actions?.[0].type !== 'open_deal';
  const stays = passed || open || entry.note.undoes !== undefined;
  const { version, deal: { number: now, phase } } = confirmedState();
  const actions = actionsOfEntries(mine);
  const terms = termsOf(confirmedState());
  // nothing to ask
  if (taken && actions && mine.length === 1 && dealsAgree(actions, theirs, confirmedState(), terms)) {
    await settleRefusal(id, (one) => (goes(one) ? null : one), version);
    return;
  }
  const between = phase === 'waiting';
  const next = between ? now : number;
  const shift = next - number;
  // what it is about
  const names = entry.body.actions?.every(({ type }) => type !== 'undo' && type !== 'merge') ?? true;
  // Tried again, it must be about the deal that it was meant for, and about nothing that comes while this is
  // read.
  const same = entry.note.undoes !== undefined ? number === (between ? now - 1 : now)
    : number === undefined ? names : !open || (!between && number === now);
  // A half-told deal goes along with those before it, or what is delivered under its number would take it
  // away.
  const follow = (by) => {
    const half = dealDraft(id);
    if (by !== 0 && half?.number > number) saveDraft(id, { ...half, number: half.number + by });
  };
  const choose = (key, words, change, { by = 0, big = false, then = null } = {}) => h('button', {
    type: 'button', 'data-key': key, class: big ? 'button big' : 'button',
    onclick: async () => {
      decided = true;
      openQuestion.close();
      await goToTable(home); // where a deal is half told, its number is what is decided here
      follow(by);
      await settleRefusal(id, change, version);
      if (location.hash === home) redrawScreen();
      then?.();
    },
  }, words);
  let decided = false;
  const here = location.hash;
  openQuestion = openSheet(number === undefined ? entriesSentence(mine)
    : t(taken ? 'taken.title' : 'offline.refused', { number }), [
    h('p', {}, taken ? t('taken.what') : trouble.message),
    theirs && actions ? [h('p', { class: 'dim' }, t('offline.marked')),
      versionsSideBySide(actions, theirs, confirmedState(), terms,
        { theirs: theirs.outcome?.text ?? t('taken.unknown'), mine: entriesSentence(mine) })]
      : [theirs && [h('h3', {}, t('taken.theirs')),
        h('p', { class: 'said' }, theirs.outcome?.text ?? t('taken.unknown'))],
        h('h3', {}, t('taken.mine')), h('p', { class: 'said' }, entriesSentence(mine))],
    choose('give-up', t('taken.give_up'), (one) => (goes(one) ? null : stays ? one
      : renumberEntry(one, number, -1)), { by: stays ? 0 : -1, big: true }),
    taken && actions && theirs?.status === 'closed' && confirmedState().status === 'open'
      && roleInSession(id) !== 'viewer' && choose('mine-right', t('offline.mine_right', { number }),
      (one) => (goes(one) ? null : one), { then: () => whenAllSent(id, async () => {
        const record = await fetchDeal(number).catch(() => theirs);
        keepCorrection(id, record, completeFromRecord(actions, record, confirmedState(), terms));
        if (location.hash === home) location.hash = `${home}/correct/${number}`;
      }) }),
    passed ? shift > 0 && choose('as-next', t('taken.as_next', { number: next }),
      (one) => renumberEntry(one, number, shift), { by: shift })
      : same && choose('try-again', t('offline.try_again'),
        (one) => (one === entry ? { ...one, ifMatch: Number.isInteger(one.ifMatch) ? version : one.ifMatch }
        : one)),
  ]);
  // A slip beside the sheet is no answer: nothing goes on until there is one, and that is said.
  openQuestion.addEventListener('close', () => {
    if (decided || location.hash !== here) return;
    showWarning([number === undefined ? t('offline.other') : t('offline.refused', { number }), ' ',
      h('button', { type: 'button', class: 'button quiet', 'data-key': 'ask-again',
        onclick: () => { clearWarning(); askAboutRefused(id); } }, t('offline.answer'))]);
  }, { once: true });
}

/** Once everything of this evening has arrived; never, if something more of it is refused. */
function whenAllSent(id, doing) {
  const look = () => {
    if (unsentWrites(id).length > 0 && !refusedWrite(id)) return;
    stop();
    if (unsentWrites(id).length === 0) doing();
  };
  const stop = onQueue(look);
  look();
}

/** No other screen than the table is on. */
const goToTable = (home) => location.hash === home || new Promise((resolve) => {
  addEventListener('hashchange', resolve, { once: true });
  location.hash = home;
});

/** The same deal under another number; deals before `first`, and what is no deal, stay as they are. */
function renumberEntry(entry, first, by) {
  const { undoes } = entry.note;
  // of which table it opens again is not known any more
  if (undoes >= first) return { ...entry, note: { undoes: undoes + by } };
  const number = dealOfWrite(entry);
  if (number === undefined || number < first) return entry;
  const actions =
    entry.body.actions.map((action) => (action.type === 'open_deal' ? { ...action, number: number + by }
    : action));
  const name = entry.note.number === undefined ? 'live' : 'number';
  return { ...entry, body: { ...entry.body, actions }, note: { ...entry.note, [name]: number + by } };
}

/** The actions that this comes to, one after the other; null where it is about something else. */
function actionsOfEntries([{ body, note }, ...more]) {
  const first = note.taps ?? body?.actions;
  if (!first) return null;
  return more.reduce((before, one) => (one.note.undoes !== undefined
    ? one.note.back?.told ?? before.slice(0, -1)
    : [...before, ...playedActions(one.body)]),
      note.undoes !== undefined ? note.back?.told ?? [] : playedActions({ actions: first }));
}

/** Everything that waits here to be said of it. */
function entriesSentence(mine) {
  const [{ note }, ...more] = mine;
  const undone = note.undoes !== undefined && (note.what ?? t('offline.undo', { number: note.undoes }));
  if (undone && more.length === 0) return undone;
  const actions = actionsOfEntries(mine);
  if (!actions) return note.what ?? t('offline.other');
  const words = dealSentence(readDeal(actions, { seats: currentSession().seats }), actions)
    || t('offline.count', { count: actions.length });
  return undone ? `${undone}. ${words}` : words;
}
