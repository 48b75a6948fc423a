// Settling up and ending the evening: what it came to, where the money on the table goes, and who will pay whom,
// on one screen before it is done. All sums are the server's, for the policy that is chosen.

import { h } from '../ui/elements.js';
import { dressed } from '../core/stylesheets.js';
import { evening, refresh, write } from '../core/session_store.js';
import { held } from '../features/held.js';
import { hint } from '../ui/help.js';
import { circleOf, roleIn } from '../core/device_storage.js';
import { lying as onTable, writerOf } from '../core/money_format.js';
import { act, go, show, warn } from '../ui/page.js';
import { person } from '../ui/player_tokens.js';
import { forPoints } from '../domain/points.js';
import { unsent } from '../core/sync_queue.js';
import { scoreboard } from '../ui/scoreboard.js';
import { get, Problem, session } from '../core/api_client.js';
import { counted, flow } from '../features/settling/flow.js';
import { endings, keepTreasurer } from '../features/settling/payment_plan.js';
import { figures } from '../features/settling/balances_summary.js';
import { way } from '../features/settling/way.js';
import { meanwhile, sync } from '../features/sync_status.js';
import { t } from '../core/translator.js';

const POLICIES = ['carry', 'refund_bets', 'split_equal'];

/** Without bets there are none to give back. */
const policiesOf = (game) => POLICIES.filter((policy) => game.stack || policy !== 'refund_bets');

/** The circle that a next evening would be of: known here, or to the server. */
const nextOf = async (id) => circleOf(id) ?? await get(session(id, '/links')).then(({ circle }) => (circle ? { id: circle } : null)).catch(() => null);

/** What the table agreed on; but money left for a next time that nobody has set can never be settled. */
function preselected(usual, game, next) {
  const policies = policiesOf(game);
  if (usual !== 'carry' && policies.includes(usual)) return usual;
  return next ? 'carry' : policies[1];
}

export async function closing({ id, game, home, still }) {
  const away = () => location.replace(evening().balances === null ? home : `${home}/settlement`);
  if (evening().status === 'closed' || roleIn(id) !== 'host') { away(); return null; }
  const ask = () => endings(id, forPoints(evening()) ? ['carry'] : policiesOf(game));
  const [next, first] = await Promise.all([nextOf(id), ask(), dressed('settling')]);
  if (!still()) return null;
  const view = { next, ends: first, policy: preselected(evening().options.leftover_policy, game, next), sending: false };
  const draw = (fresh = false) => {
    const state = evening();
    const blind = view.sending || unsent(id).length > 0; // what is told here would be closed without it
    const unheard = view.ends.size === 0 && state.deal.phase === 'waiting'; // nobody agrees to what is not shown
    show({
      title: t('closing.title'), back: home, fresh, aside: sync(),
      main: blind ? [held(view.sending)] : unheard ? [h('p', { class: 'banner' }, t('closing.unheard'))] : ending(state, game, view, { draw, goBy }),
      bar: blind || unheard ? [meanwhile(home, view.sending)]
        : [go('pay-now', t('closing.pay_now'), `${home}/settlement`), act('close', t('closing.close'), () => close({ state, home, view, draw, still }), { big: true })],
    });
  };
  async function goBy(player) {
    keepTreasurer(id, player);
    view.ends = await ask();
    if (still()) draw();
  }
  draw(true);
  return {
    async update() { // what is agreed to is what is on the screen
      if (view.sending) { draw(); return; }
      if (evening().status === 'closed') { away(); return; }
      const ends = await ask();
      if (!still() || view.sending) return;
      view.ends = ends;
      draw();
    },
  };
}

function ending(state, game, view, { draw, goBy }) {
  const lying = onTable(state);
  const points = forPoints(state);
  const plan = view.ends.get(points ? 'carry' : view.policy) ?? null;
  const money = writerOf(state, [...Object.values(plan?.results ?? {}), ...(plan?.transfers ?? []).map(({ amount }) => amount)]);
  return [
    state.deal.phase !== 'waiting' && h('p', { class: 'banner' }, t('closing.open_deal')),
    points ? sheet(state, game, money)
      : h('p', { class: 'lead' }, lying === 0 ? t('closing.nothing') : t('closing.lying', { amount: money.plain(lying) }), hint('end')),
    lying > 0 && state.options.leftover_policy === 'play_on' && h('p', { class: 'banner' }, t('closing.play_on')),
    state.bets?.some((bet) => bet.paid === false) && h('p', { class: 'dim' }, t('closing.owed')),
    lying > 0 && h('div', { role: 'radiogroup', 'aria-label': t('closing.title') }, policiesOf(game).map((policy) => option(policy, view, state, draw))),
    lying > 0 && !view.next && state.options.leftover_policy === 'carry' && h('p', { class: 'dim', 'data-key': 'no-next' }, t('closing.no_next')),
    plan && figures(state, plan, money),
    plan?.results && payments(state, plan, money, goBy),
    h('p', { class: 'dim' }, t('closing.final')),
  ];
}

/** The sheet as it stands, and whether it turns into money. */
function sheet(state, game, money) {
  const value = state.options.point_value;
  return [
    h('p', { class: 'lead' }, t(value ? 'closing.pays' : 'closing.points', { amount: value ? money.plain(value) : '' })),
    scoreboard(state, game),
  ];
}

function option(policy, view, state, draw) {
  const shares = gained(state, view.ends.get(policy));
  const money = writerOf(state, shares.map(([, amount]) => amount));
  return h('label', { class: 'option' },
    h('input', { type: 'radio', name: 'policy', value: policy, 'data-key': policy, checked: view.policy === policy,
      onchange: () => { view.policy = policy; draw(); } }),
    h('span', {},
      h('b', {}, t(`leftover.${policy}`)),
      h('small', { class: 'dim' }, policy === 'carry' && view.next ? carried(view.next) : t(`closing.${policy}`)),
      shares.length > 0 && h('span', { class: 'shares' }, shares.map(([id, amount]) =>
        h('span', { class: 'one' }, person(state, id), ' ', h('b', {}, money.signed(amount)))))));
}

const carried = ({ name }) => (name ? t('closing.carry_on', { name }) : t('closing.carry_next'));

/** What a way of ending gives everybody, or takes from who still owes a bet. */
const gained = (state, plan) => (plan?.results ? state.seats.map((id) => [id, plan.results[id] - state.results[id]])
  .concat(state.players.filter(({ id }) => !state.seats.includes(id)).map(({ id }) => [id, plan.results[id] - state.results[id]]))
  .filter(([, amount]) => amount !== 0) : []);

/** Who will pay whom once it is over. */
const payments = (state, plan, money, goBy) => h('section', { class: 'plan' }, h('h2', {}, t('closing.payments')),
  plan.transfers.length === 0 ? h('p', {}, t('settle.even')) : [
    state.players.length > 2 && way({ state: { ...state, balances: plan.balances }, plan, go: goBy }),
    h('p', {}, counted(plan)),
    h('ul', { class: 'rows' }, plan.transfers.map((one) => h('li', { class: 'row transfer' }, flow(state, money, one)))),
  ]);

async function close({ state, home, view, draw, still }) {
  const wish = onTable(state) > 0 ? { leftover_policy: view.policy } : {}; // nothing lies there: as was agreed
  view.sending = true;
  draw();
  try {
    await write('/closure', wish, { ifMatch: state.version, note: { what: t('closing.title') } });
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
