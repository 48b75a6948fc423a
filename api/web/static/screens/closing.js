// Closing the session: its results, what happens to the money on the table and who pays whom, on one screen
// before it is done. The server computes all sums for the policy that is chosen.

import { getJson, sessionPath } from '../core/api_client.js';
import { dealDraft, groupOfSession, roleInSession } from '../core/device_storage.js';
import { currentSession, keepLatest, sessionState } from '../core/session_store.js';
import { refreshSession, writeToSession } from '../core/session_sync.js';
import { sessionMoneyWriter, t } from '../core/translator.js';
import { amountOnTable, isPointGame } from '../domain/amounts.js';
import { balanceFigures } from '../features/settling/balances.js';
import { chosenTreasurer, fetchClosingPlans, paymentCountSentence, paymentFlow, saveTreasurer,
  treasurerChoice } from '../features/settling/transfers.js';
import { syncStatus, tableLink, unsentNote } from '../features/sync_status.js';
import { h } from '../ui/elements.js';
import { actionButton, actionLink, hint, leaveForm, showRefusal, showScreen } from '../ui/page.js';
import { playerLabel, scoreboard } from '../ui/player_tokens.js';

const POLICIES = ['carry', 'refund_bets', 'split_equal'];

/** Without bets on the table there are none to give back. */
const policiesOf = ({ bets }) => POLICIES.filter((policy) => policy !== 'refund_bets' || bets.length > 0);

/** The group that a next session would belong to: known here or by the server. */
const groupOfNextSession = async (id) => groupOfSession(id)
  ?? await getJson(sessionPath(id, '/links')).then(({ group }) =>
  (group ? { id: group } : null)).catch(() => null);

/**
 * The policy that the table agreed on; but money carried forward to a session that does not exist is never
 * settled.
 */
function preselectedPolicy({ leftover_policy: usual }, nextGroup) {
  if (usual === 'split_equal' || usual === 'refund_bets') return usual;
  return nextGroup ? 'carry' : 'refund_bets';
}

export async function closingScreen({ id, game, home, isCurrent }) {
  const nextHref = currentSession().balances === null ? home : `${home}/settlement`;
  if (currentSession().status === 'closed' || roleInSession(id) !== 'host') {
    location.replace(history.state?.openedFrom ?? nextHref); // perhaps a step back from the settlement
    return null;
  }
  const leave = () => leaveForm(nextHref);
  const loadPlans = keepLatest(() =>
    fetchClosingPlans(id, isPointGame(currentSession()) ? ['carry'] : policiesOf(currentSession())));
  const [nextGroup, firstPlans] = await Promise.all([groupOfNextSession(id), loadPlans()]);
  if (!isCurrent()) return null;
  const view =
    { nextGroup, plans: firstPlans, preferred: preselectedPolicy(currentSession().options, nextGroup),
      sending: false };
  const draw = (fresh = false) => {
    const state = currentSession();
    // without bets, giving them back is sharing the pot
    view.policy = isPointGame(state) || policiesOf(state).includes(view.preferred) ? view.preferred
      : 'split_equal';
    // writes that still wait here would come too late
    const hasUnsentWrites = view.sending || sessionState().waiting.length > 0;
    const hasMoney = state.balances !== null;
    // Points become money only when the session closes; until then, costs alone are owed.
    const mayPayNow = !isPointGame(state) || Object.values(state.balances ?? {}).some(Boolean);
    // Without the plans, nothing could be shown to agree to.
    const hasNoPlans = view.plans.size === 0 && state.deal.phase === 'waiting';
    showScreen({
      title: t(hasMoney ? 'menu.settle_and_close' : 'menu.close'), backHref: home, fresh,
      headerEnd: syncStatus(),
      main: hasUnsentWrites ? [unsentNote(view.sending)] : hasNoPlans
        ? [h('p', { class: 'banner' }, t('closing.unheard'))]
        : closingSheet(state, game, view, { home, draw, chooseTreasurer }),
      bar: hasUnsentWrites || hasNoPlans ? [tableLink(home, view.sending)]
        : [mayPayNow && actionLink('pay-now', t('closing.pay_now'), `${home}/settlement`),
          actionButton('close', t('menu.close'),
            () => closeSession({ state, leave, view, draw, reloadPlans, isCurrent }),
          { primary: true })],
    });
  };
  /** Fetches the plans again, and shows them unless another treasurer has been chosen meanwhile. */
  async function reloadPlans() {
    const treasurer = chosenTreasurer(id);
    const plans = await loadPlans({ again: true });
    if (!isCurrent() || view.sending || chosenTreasurer(id) !== treasurer) return;
    view.plans = plans;
    draw();
  }
  const chooseTreasurer = (player) => { saveTreasurer(id, player); return reloadPlans(); };
  draw(true);
  return {
    async update() { // people agree to what the screen shows, so it must be current
      if (view.sending) { draw(); return; }
      if (currentSession().status === 'closed') { leave(); return; }
      await reloadPlans();
    },
  };
}

function closingSheet(state, game, view, { home, draw, chooseTreasurer }) {
  const amount = amountOnTable(state);
  const points = isPointGame(state);
  const plan = view.plans.get(points ? 'carry' : view.policy) ?? null;
  const money =
    sessionMoneyWriter(state, [...Object.values(plan?.results ?? {}),
    ...(plan?.transfers ?? []).map((transfer) => transfer.amount)]);
  const lying = amount > 0 && t('closing.lying', { amount: money.plain(amount) });
  return [
    openDealNote(state, home),
    points ? closingScores(state, game, money)
      : h('p', { class: 'lead' }, amount === 0 ? t('closing.nothing') : lying, hint('end')),
    amount > 0 && state.options.leftover_policy === 'play_on'
      && h('p', { class: 'banner' }, t('closing.play_on')),
    state.bets?.some((bet) => bet.paid === false) && h('p', { class: 'muted' }, t('closing.owed')),
    amount > 0 && h('div', { role: 'radiogroup', 'aria-label': lying },
      policiesOf(state).map((policy) => policyOption(policy, view, state, draw))),
    amount > 0 && !view.nextGroup && state.options.leftover_policy === 'carry' && view.policy !== 'carry'
      && h('p', { class: 'muted', 'data-key': 'no-next' }, t('closing.no_next')),
    plan && balanceFigures(state, plan, money),
    plan?.results && paymentLines(state, plan, money, chooseTreasurer),
    h('p', { class: 'muted' }, t(state.balances === null ? 'closing.final_points' : 'closing.final')),
  ];
}

/** An open deal must be finished first; the taps of a draft, which the server does not know, can be left. */
function openDealNote({ id, deal: { number, phase } }, home) {
  const draft = dealDraft(id);
  const isOpen = phase !== 'waiting';
  if (!isOpen && (draft?.number !== number || draft.taps.length === 0)) return null;
  return h('div', { class: 'banner' },
    h('p', {}, t(isOpen ? 'closing.open_deal' : 'closing.half_deal', { number })),
    h('a', { href: `${home}/record`, 'data-key': 'go-on' }, t('table.go_on', { number })));
}

/** The score sheet, and whether points are turned into money. */
function closingScores(state, game, money) {
  const value = state.options.point_value;
  return [
    h('p', { class: 'lead' }, t(value ? 'closing.pays' : 'closing.points',
      { amount: value ? money.plain(value) : '' })),
    scoreboard(state, game),
  ];
}

function policyOption(policy, view, state, draw) {
  const shares = policyGains(state, view.plans.get(policy));
  const money = sessionMoneyWriter(state, shares.map(([, amount]) => amount));
  return h('label', { class: 'option' },
    h('input', { type: 'radio', name: 'policy', value: policy, 'data-key': policy,
      checked: view.policy === policy,
      onchange: () => { view.preferred = policy; draw(); } }),
    h('span', {},
      h('b', {}, t(`leftover.${policy}`)),
      h('small', { class: 'muted' }, policy === 'carry' && view.nextGroup ? carriedNote(view.nextGroup)
        : t(`closing.${policy}`)),
      shares.length > 0 && h('span', { class: 'amounts' }, shares.map(([id, amount]) =>
        h('span', { class: 'inline-item' },
          playerLabel(state, id), ' ', h('b', {}, money.signed(amount)))))));
}

const carriedNote = ({ name }) => (name ? t('closing.carry_on', { name }) : t('closing.carry_next'));

/** What a policy gives each player, or takes from players who still owe a bet. */
const policyGains = ({ seats, players, results }, plan) => (plan?.results
  ? [...new Set([...seats, ...players.map(({ id }) => id)])]
    .map((id) => [id, plan.results[id] - results[id]])
    .filter(([, amount]) => amount !== 0) : []);

/** Who pays whom once the session is closed. */
const paymentLines = (state, plan, money, chooseTreasurer) =>
  h('section', { class: 'payment-plan' }, h('h2', {}, t('closing.payments')),
  plan.transfers.length === 0 ? h('p', {}, t('settle.even')) : [
    state.players.length > 2
      && treasurerChoice({ state: { ...state, balances: plan.balances }, plan, onChoose: chooseTreasurer }),
    h('p', {}, paymentCountSentence(plan)),
    h('ul', { class: 'rows' },
      plan.transfers.map((transfer) => h('li', { class: 'row transfer' },
        paymentFlow(state, money, transfer)))),
  ]);

async function closeSession({ state, leave, view, draw, reloadPlans, isCurrent }) {
  // Without money on the table the agreed policy holds.
  const body = amountOnTable(state) > 0 ? { leftover_policy: view.policy } : {};
  view.sending = true;
  draw();
  try {
    await writeToSession('/closure', body,
      { ifMatch: state.version, note: { what: t('menu.settle_and_close') } });
    await refreshSession();
    if (isCurrent()) leave();
  } catch (error) {
    await showRefusal(error);
    view.sending = false;
    if (isCurrent()) await reloadPlans();
  }
}
