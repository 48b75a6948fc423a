// Ending the evening: what happens to the money still on the table, shown in sums before it is done.

import { h } from '../dom.js';
import { deal, evening, refresh, write } from '../evening.js';
import { held } from '../held.js';
import { hint } from '../help.js';
import { shares } from '../leftovers.js';
import { circleOf } from '../memory.js';
import { lying as onTable, writerOf } from '../money.js';
import { act, show, warn } from '../page.js';
import { person } from '../players.js';
import { forPoints } from '../points.js';
import { unsent } from '../queue.js';
import { scoreboard } from '../scoreboard.js';
import { Problem } from '../server.js';
import { meanwhile, sync } from '../sync.js';
import { t } from '../words.js';

const POLICIES = ['carry', 'refund_bets', 'split_equal'];

/** Without bets there are none to give back. */
const policiesOf = (game) => POLICIES.filter((policy) => game.stack || policy !== 'refund_bets');

export async function closing({ id, game, home, still }) {
  const usual = evening().options.leftover_policy;
  const view = { policy: POLICIES.includes(usual) ? usual : 'carry', last: await before(evening()), sending: false };
  if (!still()) return null;
  const draw = (fresh = false) => {
    const state = evening();
    const blind = view.sending || unsent(id).length > 0; // what is told here would be closed without it
    show({
      title: t('menu.close'), back: home, fresh, aside: sync(),
      main: blind ? [held(view.sending)] : leftOver(state, game, view, draw),
      bar: blind ? [meanwhile(home, view.sending)]
        : [act('close', t('closing.close'), () => close({ state, home, view, draw, still }), { big: true })],
    });
  };
  draw(true);
  return {
    async update() { // what is agreed to is what is on the screen
      if (view.sending) { draw(); return; }
      const last = await before(evening());
      if (!still()) return;
      view.last = last;
      draw();
    },
  };
}

/** The deal that was played last, if there is one. */
const before = ({ deal: { number } }) => (number > 1 ? deal(number - 1).catch(() => null) : null);

function leftOver(state, game, view, draw) {
  const lying = onTable(state);
  const money = writerOf(state);
  const { last } = view;
  const seated = { pot: state.pot ?? 0, bets: state.bets ?? [], seats: last?.seats ?? state.seats, dealer: last?.dealer ?? state.seats.at(state.seats.indexOf(state.deal.dealer) - 1) };
  return [
    state.deal.phase !== 'waiting' && h('p', { class: 'banner' }, t('closing.open_deal')),
    forPoints(state) ? points(state, game, money)
      : h('p', { class: 'lead' }, lying === 0 ? t('closing.nothing') : t('closing.lying', { amount: money.plain(lying) }), hint('end')),
    lying > 0 && state.options.leftover_policy === 'play_on' && h('p', { class: 'banner' }, t('closing.play_on')),
    state.bets?.some((bet) => bet.paid === false) && h('p', { class: 'dim' }, t('closing.owed')),
    !forPoints(state) && h('section', {}, h('h2', {}, t('result.standing')), h('ul', { class: 'rows' }, state.players.map(({ id }) =>
      h('li', { class: 'row' }, person(state, id), h('b', { class: 'amount' }, money.signed(state.balances[id])))))),
    lying > 0 && h('div', { role: 'radiogroup', 'aria-label': t('menu.close') }, policiesOf(game).map((policy) => option(policy, view, seated, state, draw))),
    h('p', { class: 'dim' }, t('closing.final')),
  ];
}

/** The sheet as it stands, and whether it turns into money. */
function points(state, game, money) {
  const value = state.options.point_value;
  return [
    h('p', { class: 'lead' }, t(value ? 'closing.pays' : 'closing.points', { amount: value ? money.plain(value) : '' })),
    scoreboard(state, game),
  ];
}

function option(policy, view, seated, state, draw) {
  const share = shares(policy, seated);
  const money = writerOf(state, [...share.values()]);
  return h('label', { class: 'option' },
    h('input', { type: 'radio', name: 'policy', value: policy, 'data-key': policy, checked: view.policy === policy,
      onchange: () => { view.policy = policy; draw(); } }),
    h('span', {},
      h('b', {}, t(`leftover.${policy}`)),
      h('small', { class: 'dim' }, policy === 'carry' && circleOf(state.id) ? t('closing.carry_on', { name: circleOf(state.id).name }) : t(`closing.${policy}`)),
      share.size > 0 && h('span', { class: 'shares' }, [...share].filter(([, amount]) => amount > 0).map(([id, amount]) =>
        h('span', { class: 'one' }, person(state, id), ' ', h('b', {}, money.signed(amount)))))));
}

async function close({ state, home, view, draw, still }) {
  const wish = forPoints(state) ? {} : { leftover_policy: view.policy };
  view.sending = true;
  draw();
  try {
    await write('/closure', wish, { ifMatch: state.version, note: { what: t('menu.close') } });
    await refresh();
    if (still()) location.hash = evening().balances === null ? home : `${home}/settlement`;
  } catch (trouble) {
    if (!(trouble instanceof Problem)) throw trouble;
    view.sending = false;
    await refresh();
    if (still()) draw();
    warn(trouble.message);
  }
}
