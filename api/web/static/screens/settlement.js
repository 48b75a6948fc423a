// Who pays whom so that all balances become zero, as the server computes it; each payment opens. Below are
// the transfers recorded so far.

import { getJson, sendRequest, sessionPath } from '../core/api_client.js';
import { groupOfSession, roleInSession } from '../core/device_storage.js';
import { currentSession, keepLatest, playerName } from '../core/session_store.js';
import { formatMoment, sessionMoneyWriter, t } from '../core/translator.js';
import { isPointGame } from '../domain/amounts.js';
import { groupSettlingTogether, neighbourSessionLink,
  togetherNote } from '../features/groups/carry_forward.js';
import { drawConfirmation } from '../features/proofs/confirmation_card.js';
import { rematchHref } from '../features/session_setup.js';
import { balanceFigures, mayReopen, reopenButton } from '../features/settling/balances.js';
import { chosenTreasurer, fetchPlan, isBetweenPlayers, isTransferUnderway, paymentCountSentence, paymentFlow,
  recentTransferMessage, recordTransfer, resultMessage, saveTreasurer, transferHistory,
  treasurerChoice } from '../features/settling/transfers.js';
import { syncStatus, unsentNote } from '../features/sync_status.js';
import { buildElement, h, icon } from '../ui/elements.js';
import { actionButton, actionLink, ignoreEarlyTaps, showRefusal, showScreen,
  showWarning } from '../ui/page.js';
import { paymentScreen } from './payment.js';

const DETAILS_MS = 500; // for past transfers, and for why a settlement failed

export async function settlementScreen({ id, home, argument, isCurrent }) {
  if (argument) return paymentScreen({ id, home, argument, isCurrent });
  const pastTransfers = transferHistory(id);
  // The answer to a transfer and the change of the session that it makes both ask for the plan.
  const loadPlan = keepLatest(async () => {
    const newPlan = { failure: plan?.failure ?? null, ...await fetchPlan(id) };
    const details = [pastTransfers.readUpTo(newPlan.version),
      newPlan.payments_due > 0 && fetchFailure(id).then((failure) => { newPlan.failure = failure; })]
      .map((detail) => Promise.resolve(detail).catch(() => null));
    // The sums are known, so they do not wait long for the rest.
    await Promise.race([Promise.all(details),
      new Promise((resolve) => { setTimeout(resolve, DETAILS_MS); })]);
    details.forEach((detail) => detail.then(() => {
      if (plan !== newPlan || !isCurrent()) return; // in time for its first drawing, or replaced
      draw(false);
      ignoreEarlyTaps(); // it may have moved what stands below
    }));
    return newPlan;
  });
  let plan = null;
  plan = await loadPlan();
  if (!isCurrent()) return null;
  let recordedMessage = recentTransferMessage(id);
  const sumsCard = buildElement(h('div', { hidden: true }));
  let settledTogether = null; // the group, if it has recorded payments over several evenings since
  let isSending = false; // from the tap until the sync queue has the transfer

  async function write(transfer, money, isPlanned) {
    isSending = true;
    draw(false);
    try {
      const version = isPlanned ? plan.version : pastTransfers.version();
      recordedMessage = await recordTransfer(id, transfer, money, version, isPlanned);
      recentTransferMessage(id); // recorded on this screen
      plan = await loadPlan().catch(() => plan);
    } catch (error) {
      await showRefusal(error);
      plan = await loadPlan({ again: true }).catch(() => plan);
    }
    isSending = false;
    if (isCurrent()) draw(false);
  }

  const warnOfNetwork = () => { if (isCurrent()) showWarning(t('queue.offline')); };

  async function reload() {
    await retrySettlement(id).catch(warnOfNetwork);
    plan = await loadPlan({ again: true }).catch(() => plan);
    if (isCurrent()) draw(false);
  }

  async function chooseTreasurer(player) {
    saveTreasurer(id, player);
    const newPlan = await loadPlan({ again: true }).catch(() => { warnOfNetwork(); return plan; });
    if (chosenTreasurer(id) !== player) return; // another one has been chosen meanwhile
    plan = newPlan;
    if (isCurrent()) draw(false);
  }

  function draw(fresh) {
    const state = currentSession();
    const failure = plan.payments_due > 0 ? plan.failure : null;
    const list = pastTransfers.list();
    const nextSession = state.carried_to ?? null;
    const mayWrite = roleInSession(id) !== 'viewer' && nextSession === null;
    const money = sessionMoneyWriter(state, [...plan.transfers, ...list].map(({ amount }) => amount));
    const busy = isSending || isTransferUnderway();
    const sentenceValues = (transfer) =>
      ({ from: playerName(transfer.from), to: playerName(transfer.to),
        amount: money.plain(transfer.amount) });
    const button = (key, label, name, transfer, isPlanned) =>
      actionButton(key, label, () => write(transfer, money, isPlanned), { name, disabled: busy });

    const line = (transfer) => (isBetweenPlayers(transfer) ? h('li', { class: 'row transfer' },
      h('a', { class: 'row-link', href: `${home}/settlement/${transfer.from}-${transfer.to}`,
        'data-key': `open-${transfer.from}-${transfer.to}` }, paymentFlow(state, money, transfer),
          icon('on')),
      mayWrite && button(`paid-${transfer.from}-${transfer.to}`, t('settle.paid'),
        t('settle.paid_line', sentenceValues(transfer)),
        transfer, true))
      : h('li', { class: 'row transfer' }, paymentFlow(state, money, transfer),
        h('span', { class: 'why muted' }, transfer.why)));

    const recordedRow = (transfer) => {
      const reversed = { ...transfer, from: transfer.to, to: transfer.from };
      return h('li', { class: transfer.even ? 'row transfer paid' : 'row transfer',
        'data-key': `transfer-${transfer.version}` },
        paymentFlow(state, money, transfer),
        transfer.even ? h('span', { class: 'tag' }, t('settle.cancelled'))
          : mayWrite && button(`back-${transfer.version}`, t('settle.back'),
            t('settle.back_line', sentenceValues(reversed)), reversed, false),
        h('span', { class: 'why muted' }, [formatMoment(transfer.at),
          transfer.method && t(`method.${transfer.method}`)].filter(Boolean).join(' · ')));
    };

    showScreen({
      title: t('menu.settle'), backHref: home, headerEnd: syncStatus(), fresh,
      main: [
        failure && h('div', { class: 'banner' },
          h('p', {}, t('settle.stuck', { count: plan.payments_due, time: formatMoment(failure.since) })),
          mayWrite && actionButton('try-again', t('load_error.again'), reload)),
        plan.payments_due > 0 && !failure && h('p', { class: 'banner' },
          t('settle.due', { count: plan.payments_due })),
        settledTogether && togetherNote(settledTogether),
        nextSession === null && beforePaymentsNote(state, plan, money, home),
        busy && unsentNote(isSending),
        recordedMessage && h('p', { class: 'confirmation' }, icon('check'), h('span', {}, recordedMessage)),
        nextSession !== null ? otherSettlement(id, nextSession)
          : plan.transfers.length === 0 ? h('div', { class: 'all-settled' }, icon('check'),
            h('p', { class: 'headline' }, t('settle.even')))
          : h('section', { class: 'payment-plan' }, state.players.length > 2
            && treasurerChoice({ state, plan, onChoose: chooseTreasurer }),
            h('p', { class: 'lead' }, paymentCountSentence(plan)),
            h('ul', { class: 'rows' }, plan.transfers.map(line))),
        nextSession === null && balanceFigures(state, plan, money),
        nextSession === null && h('div', { class: 'button-pair' }, resultMessage(state, plan, money)),
        (list.length > 0 || pastTransfers.hasEarlier()) && h('section', {}, h('h2', {}, t('settle.list')),
          h('ul', { class: 'rows' }, list.map(recordedRow)),
          pastTransfers.hasEarlier() && actionButton('earlier', t('settle.earlier'),
            async () => {
              await pastTransfers.readEarlier().catch(warnOfNetwork);
              if (isCurrent()) draw(false);
            }),
          mayWrite && list.length > 0 && h('p', { class: 'muted' }, t('settle.wrong'))),
        mayReopen(state) && reopenButton(home, isCurrent),
        state.status === 'closed' && sumsCard, // last, since it comes late and must move nothing
      ],
      bar: [actionLink('statement', t('menu.statement'), `${home}/statement`),
        actionLink('table', t('result.table'), home, { primary: true })],
    });
    if (state.status === 'closed') drawConfirmation(sumsCard, { id, isCurrent }).catch(() => null);
  }

  draw(true);
  groupSettlingTogether(currentSession()).then((group) => {
    settledTogether = group;
    if (group !== null && isCurrent()) draw(false);
  }).catch(() => null); // offline, or no member of the group
  return {
    update: async (state) => {
      isSending = false;
      if (state.version !== plan.version) plan = await loadPlan().catch(() => plan);
      if (isCurrent()) draw(false);
    },
  };
}

/** Resolves to the settlement failure of a la vola, with its time and number of attempts, or null. */
const fetchFailure = async (id) => (await getJson(sessionPath(id, '/payments'))).failure ?? null;

const retrySettlement = (id) => sendRequest('POST', sessionPath(id, '/payments/retries'));

/**
 * What comes before the final payments: while the session is open, closing it, which decides about money on
 * the table; afterwards, if money is left over, carrying it forward.
 */
function beforePaymentsNote(state, plan, money, home) {
  const { left_over: leftOver } = plan;
  if (state.status === 'closed') return leftOver > 0
    && leftOverNote(state, money.plain(leftOver), groupOfSession(state.id));
  const value = state.options.point_value;
  const words = isPointGame(state) ? t(value ? 'closing.pays' : 'closing.points',
    { amount: value ? money.plain(value) : '' })
    : leftOver > 0 && t('settle.lying', { amount: money.plain(leftOver) });
  return words ? h('div', { class: 'banner' }, h('p', {}, words), closingLink(state, home))
    : h('section', { class: 'callout' }, h('p', {}, t('settle.still_on')), closingLink(state, home));
}

/** A group can carry the balances forward. */
const leftOverNote = (state, amount, group) =>
  h('div', { class: 'banner' }, h('p', {}, t('settle.kept', { amount })),
  group ? [h('p', {}, t('settle.kept_on', { name: group.name })),
    h('p', {}, h('a', { class: 'text-link', href: `#/c/${group.id}`, 'data-key': 'to-group' },
      t('menu.our_group', { name: group.name })))]
    : roleInSession(state.id) === 'host' && h('p', {}, t('settle.kept_again'), ' ',
      h('a', { class: 'text-link', href: rematchHref(state), 'data-key': 'play-again' }, t('menu.again'))));

/** Another session carries everything that was open here, and is settled there. */
const otherSettlement = (id, nextSession) => h('div',
  { class: 'all-settled other-settlement' }, icon('arrow'), h('p', { class: 'headline' }, t('table.carried')),
  neighbourSessionLink(id, nextSession, { key: 'to-next', words: t('settle.to_next') }));

const closingLink = (state, home) => roleInSession(state.id) === 'host'
  && h('p', {}, h('a', { class: 'text-link', href: `${home}/close`, 'data-key': 'to-close' },
    t('menu.settle_and_close')));
