// Ending the evening: what happens to the money still on the table, shown in sums before it is done.

import { h } from '../dom.js';
import { deal, evening, refresh, write } from '../evening.js';
import { hint } from '../help.js';
import { shares } from '../leftovers.js';
import { circleOf } from '../memory.js';
import { lying as onTable, writerOf } from '../money.js';
import { act, show, warn } from '../page.js';
import { person } from '../players.js';
import { forPoints } from '../points.js';
import { scoreboard } from '../scoreboard.js';
import { Problem } from '../server.js';
import { t } from '../words.js';

const POLICIES = ['carry', 'refund_bets', 'split_equal'];

/** Without bets there are none to give back. */
const policiesOf = (game) => POLICIES.filter((policy) => game.stack || policy !== 'refund_bets');

export async function closing({ game, home, still }) {
  const state = evening();
  const last = state.deal.number > 1 ? await deal(state.deal.number - 1).catch(() => null) : null;
  if (!still()) return null;
  const lying = onTable(state);
  const usual = state.options.leftover_policy;
  const wish = { policy: POLICIES.includes(usual) ? usual : 'carry' };
  const seated = { pot: state.pot ?? 0, bets: state.bets ?? [], seats: last?.seats ?? state.seats, dealer: last?.dealer ?? state.seats.at(-1) };
  const money = writerOf(state);
  const draw = (fresh = false) => show({
    title: t('menu.close'), back: home, fresh,
    main: [
      state.deal.phase !== 'waiting' && h('p', { class: 'banner' }, t('closing.open_deal')),
      forPoints(state) ? points(state, game, money)
        : h('p', { class: 'lead' }, lying === 0 ? t('closing.nothing') : t('closing.lying', { amount: money.plain(lying) }), hint('end')),
      lying > 0 && usual === 'play_on' && h('p', { class: 'banner' }, t('closing.play_on')),
      state.bets?.some((bet) => bet.paid === false) && h('p', { class: 'dim' }, t('closing.owed')),
      !forPoints(state) && h('section', {}, h('h2', {}, t('result.standing')), h('ul', { class: 'rows' }, state.players.map(({ id }) =>
        h('li', { class: 'row' }, person(state, id), h('b', { class: 'amount' }, money.signed(state.balances[id])))))),
      lying > 0 && h('div', { role: 'radiogroup', 'aria-label': t('menu.close') }, policiesOf(game).map((policy) => option(policy, wish, seated, state, draw))),
      h('p', { class: 'dim' }, t('closing.final')),
    ],
    bar: [act('close', t('closing.close'), () => close(forPoints(state) ? null : wish.policy, home), { big: true })],
  });
  draw(true);
  return {};
}

/** The sheet as it stands, and whether it turns into money. */
function points(state, game, money) {
  const value = state.options.point_value;
  return [
    h('p', { class: 'lead' }, t(value ? 'closing.pays' : 'closing.points', { amount: value ? money.plain(value) : '' })),
    scoreboard(state, game),
  ];
}

function option(policy, wish, seated, state, draw) {
  const share = shares(policy, seated);
  const money = writerOf(state, [...share.values()]);
  return h('label', { class: 'option' },
    h('input', { type: 'radio', name: 'policy', value: policy, 'data-key': policy, checked: wish.policy === policy,
      onchange: () => { wish.policy = policy; draw(); } }),
    h('span', {},
      h('b', {}, t(`leftover.${policy}`)),
      h('small', { class: 'dim' }, policy === 'carry' && circleOf(state.id) ? t('closing.carry_on', { name: circleOf(state.id).name }) : t(`closing.${policy}`)),
      share.size > 0 && h('span', { class: 'shares' }, [...share].filter(([, amount]) => amount > 0).map(([id, amount]) =>
        h('span', { class: 'one' }, person(state, id), ' ', h('b', {}, money.signed(amount)))))));
}

async function close(policy, home) {
  try {
    await write('/closure', policy === null ? {} : { leftover_policy: policy });
    await refresh();
    location.hash = evening().balances === null ? home : `${home}/settlement`;
  } catch (trouble) {
    if (!(trouble instanceof Problem)) throw trouble;
    await refresh();
    warn(trouble.message);
  }
}
