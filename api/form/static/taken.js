// Two phones recorded the same deal. The server kept the first; a person sees both before this one goes.

import { h } from './dom.js';
import { nameOf } from './evening.js';
import { sheet } from './page.js';
import { t, together } from './words.js';

export function taken(state, theirs, mine, giveUp) {
  const dialog = sheet(t('taken.title', { number: theirs?.number ?? '' }), [
    h('p', {}, t('taken.what')),
    h('h3', {}, t('taken.theirs')),
    h('p', { class: 'said' }, theirs?.outcome?.text ?? t('taken.unknown')),
    h('h3', {}, t('taken.mine')),
    h('p', { class: 'said' }, inWords(mine)),
    h('button', { type: 'button', class: 'button big', onclick: () => dialog.close() }, t('taken.give_up')),
  ]);
  dialog.addEventListener('close', giveUp, { once: true });
}

function inWords({ passed, declarers, tricks, result, vola }) {
  if (passed) return t('record.all_pass');
  const parts = [t('record.declared', { names: together(declarers.map(nameOf)) })];
  if (vola) parts.push(t('record.says_vola', { name: nameOf(vola) }));
  if (tricks.length > 0) parts.push(t('taken.tricks', { names: tricks.map(nameOf).join(', ') }));
  if (result?.winner) parts.push(t('record.said_winner', { name: nameOf(result.winner) }));
  return parts.join('. ');
}
