// How it ended, as a few lines to send to everybody who was there: how all stand, and who pays whom.

import { copying } from '../../ui/copy_button.js';
import { h } from '../../ui/elements.js';
import { nameOf } from '../../core/session_store.js';
import { evenings } from '../../core/device_storage.js';
import { act, sheet } from '../../ui/page.js';
import { shortDate, t } from '../../core/translator.js';
import { between } from './payment_plan.js';
import { gameNamed } from '../../domain/games.js';

/** A button that shows the text and hands it to another app: by the phone's own way of sharing, else by copying. */
export const passing = (state, plan, money) => act('pass-on', t('pass.on'), () => {
  const text = told(state, plan, money);
  sheet(t('pass.on'), [
    h('p', { class: 'dim' }, t('pass.what')),
    copying(text, { what: t('pass.text'), key: 'pass-copy', rows: text.split('\n').length }),
    navigator.share && act('pass-send', t('pass.send'), () => navigator.share({ text }).catch(() => null), { big: true }), // closed again is no failure
  ]);
});

function told(state, plan, money) {
  const title = [state.title || t('start.untitled'), gameNamed(state.game), shortDate(evenings().find(({ id }) => id === state.id)?.date ?? new Date().toISOString())].filter(Boolean).join(' · ');
  const pays = plan.transfers.filter(between);
  return [
    title,
    ...state.players.map(({ id }) => `${nameOf(id)} ${money.signed((plan.results ?? state.balances)[id])}`),
    '',
    ...(pays.length > 0 ? pays.map(({ from, to, amount }) => t('pass.pays', { from: nameOf(from), to: nameOf(to), amount: money.plain(amount) })) : [t('settle.even')]),
  ].join('\n');
}
