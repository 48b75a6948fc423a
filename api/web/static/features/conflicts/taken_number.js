// Two phones recorded the same deal. The server kept the first; where they differ, a person sees both before this
// one goes. Where they agree there is nothing to ask.

import { keepCorrection } from '../correcting/draft.js';
import { mayCorrect } from '../correcting/may.js';
import { cutterOf, read } from '../../domain/deal.js';
import { h } from '../../ui/elements.js';
import { deal, evening, nameOf } from '../../core/session_store.js';
import { draft, dropDraft, keepDraft, recall, remember } from '../../core/device_storage.js';
import { say, sheet } from '../../ui/page.js';
import { unsent } from '../../core/sync_queue.js';
import { allInWords } from '../../ui/action_sentences.js';
import { agree, completeFromRecord, sideBySide } from '../../domain/versions.js';
import { speakAlso, t, together } from '../../core/translator.js';
import { termsOf } from '../../domain/games.js';

/**
 * `number` was taken; `taps` are what this phone has for it. They are let go, become the correction of that deal, or the
 * next number. `nextDealFirst`: that deal is what somebody came for, and can be recorded whatever is answered here.
 */
export async function taken({ number, taps, theirs = null, home, nextDealFirst = false }) {
  const state = evening();
  const known = await deal(number).catch(() => theirs);
  await speakAlso('offline.').catch(() => null);
  if (evening()?.id !== state.id) return;
  const terms = termsOf(state);
  const forget = () => (nextDealFirst ? remember(olderDraft(state.id), null) : draft(state.id)?.number === number && dropDraft(state.id));
  if (agree(taps, known, state, terms)) {
    forget();
    say(t('offline.alike', { number }));
    if (!nextDealFirst && location.hash.endsWith('/record')) location.replace(`${home}/deal/${number}/now`);
    return;
  }
  const mine = read(taps, { seats: state.seats });
  const next = mayFollow(state, mine) && !(nextDealFirst && draft(state.id)?.taps.length > 0) ? state.deal.number : null;
  const here = location.hash;
  let chosen = null;
  const choose = (where, before = () => {}) => () => { chosen = where; forget(); before(); dialog.close(); };
  const button = (key, words, onclick, big = false) => h('button', { type: 'button', class: big ? 'button big' : 'button', 'data-key': key, onclick }, words);
  const dialog = sheet(t('taken.title', { number }), [
    h('p', {}, t('taken.what'), ' ', t('offline.marked')),
    sideBySide(taps, known, state, terms, { theirs: known?.outcome?.text ?? t('taken.unknown'), mine: told(mine, taps) }),
    button('give-up', t('taken.give_up'), choose(nextDealFirst ? here : home), true),
    known && mayCorrect(state, known) && button('mine-right', t('offline.mine_right', { number }),
      choose(`${home}/correct/${number}`, () => keepCorrection(state.id, known, completeFromRecord(taps, known, state, terms)))),
    next !== null && button('as-next', t('taken.as_next', { number: next }),
      choose(`${home}/record`, () => keepDraft(state.id, { number: next, base: 0, taps }))),
  ]);
  dialog.addEventListener('close', () => {
    if (chosen === null && (nextDealFirst || location.hash !== here)) return; // nothing is decided: it is asked again another time
    const there = chosen ?? home;
    if (location.hash === there) dispatchEvent(new HashChangeEvent('hashchange'));
    else location.replace(there);
  }, { once: true });
}

const olderDraft = (id) => `older-draft.${id}`;

/** What was half told of a deal before this one: laid aside, so that nothing waits for it, and asked about. */
export function askAboutOlderDraft(id, number, home) {
  const half = draft(id);
  if (half?.number < number && half.taps.length > 0) {
    remember(olderDraft(id), half);
    dropDraft(id);
  }
  const older = recall(olderDraft(id));
  if (older && unsent(id).length === 0) taken({ number: older.number, taps: [...(older.heard ?? []), ...older.taps], home, nextDealFirst: true });
}

/** Whether it could have been the next deal: that one has not begun, and who declared may declare in it. */
function mayFollow(state, { declarers, passed }) {
  const { phase, dealer } = state.deal;
  if (state.status !== 'open' || phase !== 'waiting') return false;
  if (!passed && declarers.length === 0) return false;
  if (!declarers.every((id) => state.seats.includes(id))) return false;
  return declarers.length < 2 || [dealer, cutterOf(state.seats, dealer)].every((id) => declarers.includes(id));
}

/** What was said of a deal here: five tricks as a sentence, whatever else as it was said. */
export const told = (read, actions) => inWords(read) || allInWords(actions).join('. ');

/** What somebody here tapped, in a sentence. */
function inWords({ passed, declarers, tricks, result, vola, call }) {
  if (passed) return t('record.all_pass');
  const parts = [];
  if (declarers.length > 0) parts.push(t('record.declared', { names: together(declarers.map(nameOf)) }));
  if (vola) parts.push(t('record.says_vola', { name: nameOf(vola), call: t(`call.${call}`) }));
  if (tricks.length > 0) parts.push(t('taken.tricks', { names: tricks.map(nameOf).join(', ') }));
  if (result?.winner) parts.push(t('record.said_winner', { name: nameOf(result.winner) }));
  return parts.join('. ');
}
