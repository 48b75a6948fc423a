// Questions before a correction is made: what it changes, a deal taken out of the count, or later ones that no longer fit.

import { h } from '../../ui/elements.js';
import { evening } from '../../core/session_store.js';
import { sheet } from '../../ui/page.js';
import { t } from '../../core/translator.js';
import { effect } from './effect.js';
import { reason } from './reason.js';

const button = (key, words, onclick, big = false) => h('button', { type: 'button', class: big ? 'button big' : 'button', 'data-key': key, onclick }, words);

/** A sheet that can be confirmed once it says what would change. `refused(trouble)`: it would not be taken. */
function confirming({ title, number, wish, over = [], under = [], back, yes, refused }) {
  const place = h('div', { 'aria-live': 'polite' });
  let version;
  const go = button(yes.key, yes.words, () => { dialog.close(); yes.sure(version); }, true);
  go.disabled = true;
  const dialog = sheet(title, [...over, place, ...under, h('div', { class: 'pair' }, button(back.key, back.words, () => dialog.close()), go)]);
  effect(place, evening(), number, wish).then((on) => { version = on; go.disabled = false; }, (trouble) => {
    if (!dialog.isConnected) return;
    dialog.close();
    refused(trouble);
  });
  return dialog;
}

/** "It was really played like this": once more, with what it changes. */
export const playedLikeThis = ({ number, actions, sure, refused }) => confirming({
  title: t('correct.title', { number }), number, wish: { actions }, refused,
  back: { key: 'correct-back', words: t('later.back') },
  yes: { key: 'correct-sure', words: t('correct.send'), sure },
});

/** "This deal never counted": asked once, with the reason. */
export function neverCounted({ number, text, sure, refused }) {
  let why = text;
  confirming({
    title: t('never.title', { number }), number, wish: {}, refused: (trouble) => refused(trouble, why),
    over: [h('p', {}, t('never.what'))],
    under: [reason({ suggested: [t('never.misdealt'), t('never.missing'), t('never.twice')], text, key: 'never-why', changed: (words) => { why = words; } })],
    back: { key: 'never-back', words: t('never.back') },
    yes: { key: 'never-sure', words: t('never.send', { number }), sure: (version) => sure(why, version) },
  });
}

/** Later deals that could not have been played then: named with what they came to, and let go or kept. */
export function laterBreak({ number, actions, broken, deals, letGo, refused }) {
  const count = broken.length;
  confirming({
    title: t('later.title'), number, wish: { ...(actions && { actions }), later: 'void' }, refused,
    over: [
      h('p', {}, t('later.what', { count, number })),
      h('ol', { class: 'rows' }, broken.map((one) => h('li', { class: 'row' }, h('span', { class: 'nth' }, one),
        h('span', { class: 'row-name said' }, deals.find((deal) => deal.number === one)?.outcome?.text ?? '')))),
      h('p', { class: 'dim' }, t('later.then', { count })),
    ],
    back: { key: 'later-back', words: t('later.back') },
    yes: { key: 'later-void', words: t('later.let_go', { count }), sure: letGo },
  });
}
