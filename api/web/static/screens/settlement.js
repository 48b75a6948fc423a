// Who pays whom so that everybody is even, as the server counted it; each payment opens. Below: what has been paid.

import { across } from '../features/groups/across.js';
import { h, icon } from '../ui/elements.js';
import { dressed } from '../core/stylesheets.js';
import { evening, nameOf, refresh } from '../core/session_store.js';
import { circleOf, roleIn } from '../core/device_storage.js';
import { writerOf } from '../core/money_format.js';
import { act, go, show, warn } from '../ui/page.js';
import { againOf } from '../features/people.js';
import { forPoints } from '../domain/points.js';
import { outOfReach } from '../core/sync_queue.js';
import { Problem } from '../core/api_client.js';
import { counted, flow } from '../features/settling/flow.js';
import { passing } from '../features/settling/passing.js';
import { payment } from '../features/settling/payment.js';
import { between, keepTreasurer, planned } from '../features/settling/payment_plan.js';
import { justRecorded, record, underway } from '../features/settling/transfers.js';
import { recorded } from '../features/settling/recorded.js';
import { mayReopen, reopening } from '../features/settling/reopening.js';
import { figures } from '../features/settling/balances_summary.js';
import { sticking, tryAgain } from '../features/settling/sticking.js';
import { way } from '../features/settling/way.js';
import { sync } from '../features/sync_status.js';
import { moment, t } from '../core/translator.js';

export async function settlement({ id, home, argument, still }) {
  await dressed('settling');
  if (!still()) return null;
  if (argument) return payment({ id, home, argument, still });
  const paid = recorded(id);
  let stuck = null;
  const look = async () => {
    const plan = await planned(id);
    await paid.upTo(plan.version).catch(() => null);
    stuck = plan.payments_due > 0 ? await sticking(id).catch(() => null) : null;
    return plan;
  };
  let plan = await look();
  if (!still()) return null;
  let told = justRecorded(id);

  async function write(one, money, asked) {
    draw(false);
    try {
      told = await record(id, one, money, asked);
      justRecorded(id); // said here and now
    } catch (trouble) {
      if (!(trouble instanceof Problem)) throw trouble;
      await refresh();
      warn(trouble.message);
    }
    plan = await look().catch(() => plan);
    if (still()) draw(false);
  }

  async function again() {
    await tryAgain(id).catch(() => warn(t('queue.offline')));
    plan = await look().catch(() => plan);
    if (still()) draw(false);
  }

  async function goBy(player) {
    keepTreasurer(id, player);
    plan = await planned(id).catch(() => { warn(t('queue.offline')); return plan; });
    if (still()) draw(false);
  }

  function draw(fresh) {
    const state = evening();
    const list = paid.list();
    const onward = state.carried_to ?? null;
    const mayWrite = roleIn(id) !== 'viewer' && onward === null;
    const money = writerOf(state, [...plan.transfers, ...list].map(({ amount }) => amount));
    const busy = underway(id);
    const out = outOfReach();
    const named = (one) => ({ from: nameOf(one.from), to: nameOf(one.to), amount: money.plain(one.amount) });
    const button = (key, label, name, one, asked) => h('button', { type: 'button', class: 'button', 'data-key': key, disabled: busy, 'aria-label': name,
      onclick: (event) => { event.currentTarget.disabled = true; write(one, money, asked); } }, label);

    const line = (one) => (between(one) ? h('li', { class: 'row transfer' },
      h('a', { class: 'row-link', href: `${home}/settlement/${one.from}-${one.to}`, 'data-key': `open-${one.from}-${one.to}` }, flow(state, money, one), icon('on')),
      mayWrite && button(`paid-${one.from}-${one.to}`, t('settle.paid'), t('settle.paid_line', named(one)), one, true))
      : h('li', { class: 'row transfer' }, flow(state, money, one), h('span', { class: 'why dim' }, one.why)));

    const done = (one) => h('li', { class: one.even ? 'row transfer even' : 'row transfer' }, flow(state, money, one),
      one.even ? h('span', { class: 'tag' }, t('settle.cancelled'))
        : mayWrite && button(`back-${one.version}`, t('settle.back'), t('settle.back_line', named({ ...one, from: one.to, to: one.from })), { ...one, from: one.to, to: one.from }, false),
      h('span', { class: 'why dim' }, [moment(one.at), one.method && t(`method.${one.method}`)].filter(Boolean).join(' · ')));

    show({
      title: t('menu.settle'), back: home, aside: sync(), fresh,
      main: [
        stuck && h('div', { class: 'banner' }, h('p', {}, t('settle.stuck', { count: plan.payments_due, time: moment(stuck.since) })),
          mayWrite && act('try-again', t('settle.try_again'), again)),
        plan.payments_due > 0 && !stuck && h('p', { class: 'banner' }, t('settle.due', { count: plan.payments_due })),
        onward === null && open(state, plan, money, home),
        busy && h('p', { class: 'banner' }, t(out ? 'settle.waits' : 'settle.sending')),
        told && h('p', { class: 'noted' }, icon('check'), h('span', {}, told)),
        onward !== null ? elsewhere(id, onward)
          : plan.transfers.length === 0 ? h('div', { class: 'calm' }, icon('check'), h('p', { class: 'motto' }, t('settle.even')))
          : h('section', { class: 'plan' }, state.players.length > 2 && way({ state, plan, go: goBy }),
            h('p', { class: 'lead' }, counted(plan)),
            h('ul', { class: 'rows' }, plan.transfers.map(line))),
        onward === null && figures(state, plan, money),
        onward === null && h('div', { class: 'pair' }, passing(state, plan, money)),
        (list.length > 0 || paid.more()) && h('section', {}, h('h2', {}, t('settle.list')),
          h('ul', { class: 'rows' }, list.map(done)),
          paid.more() && act('earlier', t('settle.earlier'), async () => { await paid.earlier().catch(() => warn(t('queue.offline'))); if (still()) draw(false); }),
          mayWrite && list.length > 0 && h('p', { class: 'dim' }, t('settle.wrong'))),
        mayReopen(state) && reopening(home, still),
      ],
      bar: [go('statement', t('menu.statement'), `${home}/statement`), go('table', t('result.table'), home, { big: true })],
    });
  }

  draw(true);
  return {
    update: async (state) => {
      if (state.version !== plan.version) plan = await look().catch(() => plan);
      if (still()) draw(false);
    },
  };
}

/** While it is still on, and of money that is nobody's: decide first; when that is done somebody has to keep it. */
function open(state, plan, money, home) {
  const { left_over: lying } = plan;
  if (state.status === 'closed') return lying > 0 && kept(state, money.plain(lying), circleOf(state.id));
  const value = state.options.point_value;
  const words = forPoints(state) ? t(value ? 'closing.pays' : 'closing.points', { amount: value ? money.plain(value) : '' })
    : lying > 0 && t('settle.lying', { amount: money.plain(lying) });
  return words ? h('div', { class: 'banner' }, h('p', {}, words), toClose(state, home))
    : h('section', { class: 'offer' }, h('p', {}, t('settle.still_on')), toClose(state, home));
}

/** Where the same people meet again they can go on with it. */
const kept = (state, amount, circle) => h('div', { class: 'banner' }, h('p', {}, t('settle.kept', { amount })),
  circle ? [h('p', {}, t('settle.kept_on', { name: circle.name })),
    h('p', {}, h('a', { class: 'link', href: `#/c/${circle.id}`, 'data-key': 'to-circle' }, t('menu.our_circle', { name: circle.name })))]
    : roleIn(state.id) === 'host' && h('p', {}, t('settle.kept_again'), ' ', h('a', { class: 'link', href: againOf(state), 'data-key': 'play-again' }, t('menu.again'))));

/** Another evening has gone on with everything that was open here: there it is settled. */
const elsewhere = (id, onward) => h('div', { class: 'calm onward' }, icon('arrow'), h('p', { class: 'motto' }, t('table.carried')),
  across(id, onward, { key: 'to-next', words: t('settle.to_next') }));

const toClose = (state, home) => roleIn(state.id) === 'host'
  && h('p', {}, h('a', { class: 'link', href: `${home}/close`, 'data-key': 'to-close' }, t('closing.title')));
