// The table: who sits where and how they stand, the pot, the stack of bets, and the next deal.

import { aside, h } from '../ui/elements.js';
import { deal, evening, foreseen, nameOf } from '../core/session_store.js';
import { felt } from '../ui/felt.js';
import { hint } from '../ui/help.js';
import { draft, holder, roleIn } from '../core/device_storage.js';
import { writerOf } from '../core/money_format.js';
import { forPoints, sign, stands, worth } from '../domain/points.js';
import { act, go, show, warn } from '../ui/page.js';
import { hueOf, markerOf, person } from '../ui/player_tokens.js';
import { refusedIn, unsent } from '../core/sync_queue.js';
import { scoreboard } from '../ui/scoreboard.js';
import { sync } from '../features/sync_status.js';
import { coins } from '../ui/coins.js';
import { undoLast } from '../features/undo.js';
import { t, together } from '../core/translator.js';

export async function table({ id, game, home, still }) {
  let last = null;
  let known = 0;
  const figures = h('div', { hidden: true }); // what is still to pay, once that is not the result
  const beside = h('div', { hidden: true }); // what there is to say about who is let in: nothing waits for it

  const fetchLast = async (state) => {
    known = stage(state);
    last = await latest(state).catch(() => last);
  };

  const draw = (state, fresh = false) => {
    const money = writerOf(state);
    show({
      title: state.title || t('start.untitled'),
      back: '#/',
      aside: sync(),
      kind: 'table',
      fresh,
      main: [
        round(state, game, money),
        absent(state, money),
        state.status === 'closed' && h('p', { class: 'banner' }, t('table.closed'), state.carried_to && ` ${t('table.carried')}`),
        waiting(state),
        figures,
        beside,
        lastDeal(state, last, home),
        !booked(state) && dues(state, money),
        game.stack && stack(state, money),
        booked(state) && h('details', { class: 'fold', open: document.querySelector('[data-key=booked]')?.parentElement.open },
          h('summary', { 'data-key': 'booked' }, `${t('table.la_vola')}: ${t('payment.settled')}`), dues(state, money)),
        forPoints(state) && points(state, game, last),
      ],
      bar: bar(state, home),
    });
    figures.hidden = !apart(state);
    if (!figures.hidden) import('../features/settling/balances_summary.js').then((file) => file.fill(figures, { home, still })).catch(() => null);
  };

  await fetchLast(evening());
  if (!still()) return null;
  draw(evening(), true);
  import('../features/access/beside.js').then((file) => file.fill(beside, { id, home, still })).catch(() => null);
  return {
    update: async (state) => {
      draw(state);
      if (stage(state) === known) return;
      await fetchLast(state);
      if (still()) draw(evening());
    },
  };
}

/** Whether there is more to say than what the evening has brought everybody. */
export const apart = ({ status, results, balances }) => status === 'closed' || Object.keys(results ?? {}).some((id) => results[id] !== balances[id]);

/** Changes with what the server has, and with what is only foreseen. */
export const stage = ({ version, deal: { number }, provisional = false }) => `${version} ${number} ${provisional}`;

export async function latest(state) {
  const number = state.deal.phase === 'waiting' ? state.deal.number - 1 : state.deal.number;
  return number < 1 ? null : deal(number);
}

/** Everybody in their place around what lies on the cloth. */
export function round(state, game, money) {
  const seat = (id) => h('div', { class: `seat ${hueOf(state, id)}` },
    markerOf(state, id),
    h('bdi', { class: 'name', title: nameOf(id) }, nameOf(id)),
    h('b', { class: `sum ${worth(state, id, money).sign}` }, worth(state, id, money).text),
    you(state, id),
    state.deal.dealer === id && dealerButton());
  return felt({ seats: state.seats, first: holder(state.id), seat, centre: game.centre(state, money), label: t('table.round') });
}

/** At the place of who holds this phone. */
export const you = (state, id) => holder(state.id) === id && h('span', { class: 'you' }, t('table.you'));

export const dealerButton = () => h('span', { class: 'dealer' },
  h('span', { 'aria-hidden': 'true' }, t('table.dealer_letter')), aside(t('table.dealer')));

/** Those who are not in a seat and how they stand. */
export function absent(state, money) {
  const gone = state.players.filter(({ id }) => !state.seats.includes(id));
  if (gone.length === 0) return null;
  return h('p', { class: 'absent' }, h('span', { class: 'dim' }, t('table.absent')),
    gone.map(({ id }) => h('span', { class: 'one' }, person(state, id), ' ', h('b', {}, money.signed(stands(state)[id])))));
}

function waiting(state) {
  const kept = unsent(state.id);
  return kept.length > 0 && h('p', { class: 'banner' }, t('queue.kept', { count: kept.length }));
}

function lastDeal(state, last, home) {
  const points = forPoints(state);
  if (last === null) return state.deal.number < 2 && h('p', { class: 'last dim' }, t(points ? 'table.first_of_points' : 'table.first'));
  const text = last.outcome?.text ?? t('table.open_deal', { number: last.number });
  return h('a', { class: 'last', href: `${home}/deal/${last.number}`, 'data-key': 'last' },
    h('span', { class: 'over' }, t('table.last', { number: last.number })), h('span', { class: 'said' }, text));
}

// Only the latest la vola is news; older legs are in the history.
function legs({ payments, deal: { number } }) {
  const latestDeal = Math.max(0, ...payments.map((payment) => payment.deal));
  return payments.filter((one) => one.status !== 'cancelled' && (one.status === 'due' || (one.deal === latestDeal && one.deal >= number - 1)));
}

/** Nothing of it is on its way any more. */
const booked = (state) => legs(state).length > 0 && legs(state).every(({ status }) => status === 'settled');

export function dues(state, money) {
  const fresh = legs(state);
  if (fresh.length === 0) return null;
  return h('section', {}, h('h2', {}, t('table.la_vola'), hint('la_vola')),
    h('ul', { class: 'rows' }, fresh.map((one) => h('li', { class: 'row' },
      h('span', { class: 'flow' }, person(state, one.from), h('span', { class: 'to', 'aria-label': t('money.to') }, '→'), person(state, one.to)),
      h('b', {}, money.plain(one.amount)),
      h('span', { class: `tag ${one.status}` }, t(`payment.${one.status}`))))));
}

/** The bets, the one that is played for next on top. */
export function stack(state, money) {
  return h('section', {}, h('h2', {}, t('table.bets'), hint('bet')),
    state.bets.length === 0
      ? h('p', { class: 'empty' }, t('table.no_bets'))
      : h('ol', { class: 'rows bets' }, state.bets.map((bet, index) => h('li', { class: 'row' },
        coins(bet.amount, state.options.stake),
        h('b', { class: 'amount' }, money.plain(bet.amount)),
        h('span', { class: 'by' }, t(bet.deal > 0 ? 'table.bet_by' : 'table.bet_before', { names: together(bet.by.map(nameOf)), number: bet.deal })),
        bet.paid === false && h('span', { class: 'tag due' }, t('table.bet_owed')),
        index === 0 && h('span', { class: 'tag first' }, t('table.first_bet'))))));
}

/** The sheet, with what the last deal gave. */
function points(state, game, last) {
  return h('section', {}, h('h2', {}, t('points.sheet'), hint(game.hints.score)),
    scoreboard(state, game, state.deal.phase === 'waiting' ? last?.outcome?.points : {}));
}

function bar(state, home) {
  const more = act('menu', '', () => import('./menu.js').then((file) => file.menu(state, home)).catch(() => warn(t('queue.offline'))), { mark: 'menu', name: t('menu.title') });
  if (state.status === 'closed') {
    return [state.balances === null ? go('deals', t('menu.history'), `${home}/deals`, { big: true })
      : go('settle', t('menu.settle'), `${home}/settlement`, { big: true }), more];
  }
  if (state.winner) {
    return [undoLast(state, home),
      go('winner', t('points.winner'), `${home}/winner`, { big: true }), more];
  }
  const begun = state.deal.phase !== 'waiting' || draft(state.id)?.number === state.deal.number;
  return [
    undoLast(state, home),
    foreseen() && roleIn(state.id) !== 'viewer' && go('record',
      t(begun ? 'table.go_on' : 'table.record', { number: state.deal.number }), `${home}/record`, { big: true }),
    more,
  ];
}
