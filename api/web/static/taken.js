// Two phones recorded the same deal. The server kept the first; a person sees both before this one goes.

import { cutterOf, read } from './deal.js';
import { h } from './dom.js';
import { deal, evening, nameOf } from './evening.js';
import { dropDraft, keepDraft } from './memory.js';
import { sheet } from './page.js';
import { allInWords } from './spoken.js';
import { t, together } from './words.js';

/** `number` was taken; `taps` are what this phone has for it. The choice is let go, or the next number. */
export async function taken({ number, taps, theirs = null, home }) {
  const state = evening();
  const kept = theirs ?? await deal(number).catch(() => null);
  if (evening()?.id !== state.id) return;
  const mine = read(taps, { seats: state.seats });
  const next = mayFollow(state, mine) ? state.deal.number : null;
  const here = location.hash;
  let chosen = null;
  const choose = (where) => () => { chosen = where; dialog.close(); };
  const dialog = sheet(t('taken.title', { number }), [
    h('p', {}, t('taken.what')),
    h('h3', {}, t('taken.theirs')),
    h('p', { class: 'said' }, kept?.outcome?.text ?? t('taken.unknown')),
    h('h3', {}, t('taken.mine')),
    h('p', { class: 'said' }, told(mine, taps)),
    h('button', { type: 'button', class: 'button big', 'data-key': 'give-up', onclick: choose(home) }, t('taken.give_up')),
    next !== null && h('button', {
      type: 'button', class: 'button', 'data-key': 'as-next', onclick: choose(`${home}/record`),
    }, t('taken.as_next', { number: next })),
  ]);
  dialog.addEventListener('close', () => {
    if (chosen === null && location.hash !== here) return; // somebody has gone elsewhere, and nothing is decided
    if (chosen !== null) dropDraft(state.id); // a slip beside the sheet is no decision: it is asked again
    if (chosen !== null && chosen !== home) keepDraft(state.id, { number: next, base: 0, taps });
    const there = chosen ?? home;
    if (location.hash === there) dispatchEvent(new HashChangeEvent('hashchange'));
    else location.replace(there);
  }, { once: true });
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
