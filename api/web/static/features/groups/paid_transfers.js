// The payments between members of a group over several evenings, folded up, the latest first. Each can be put
// right by the same payment the other way.

import { formatDay, t } from '../../core/translator.js';
import { h } from '../../ui/elements.js';
import { actionButton } from '../../ui/page.js';
import { memberName } from '../../ui/player_tokens.js';
import { paymentFlow } from '../settling/payment_plan.js';
import { markCancelled } from '../settling/transfers.js';

/**
 * The payments in one currency, whose `rows` are its open balances, or null if there are none.
 * `putRight(reversed, isOpen)` records a payment if `isOpen(figures)` says that it has not been put right
 * yet; without it the list has no buttons.
 */
export function paidTransfers({ currency, rows, members, money, putRight }) {
  const transfers = listTransfers(rows);
  if (transfers.length === 0) return null;
  const row = (transfer) => h('li', { class: transfer.even ? 'row transfer paid' : 'row transfer',
    'data-key': `transfer-${transfer.number}` },
  paymentFlow({ players: members, options: { stake: transfer.amount } }, money, transfer),
  transfer.even ? h('span', { class: 'tag' }, t('settle.cancelled'))
    : putRight && isBetweenPresent(transfer, members) && backButton(transfer, members, money,
      (reversed) => putRight({ ...reversed, currency, reverses: latestAlike(transfers, transfer) },
        isUncancelled(currency, transfer.number))),
  h('span', { class: 'why muted' }, formatDay(transfer.at)));
  return h('details', { class: 'disclosure', 'data-key': `paid-${currency}` },
    h('summary', {}, t('settle.list')),
    putRight && h('p', { class: 'muted' }, t('settle.wrong')),
    h('ul', { class: 'rows' }, transfers.toReversed().map(row)));
}

/** All payments, the earliest first; those that cancel each other are marked. */
const listTransfers = (rows) => markCancelled(rows.flatMap(transfersOf)
  .sort((first, second) => first.number - second.number));

/** The number of the payment that the opposite one cancels: the latest that stands. */
const latestAlike = (transfers, { from: payer, to: payee, amount }) => transfers.findLast((transfer) =>
  !transfer.even && transfer.from === payer && transfer.to === payee && transfer.amount === amount).number;

/** Returns a check of the open balances: whether this payment has not been put right. */
const isUncancelled = (currency, number) => ({ currencies }) => listTransfers(
  currencies.find((open) => open.currency === currency)?.balances ?? [])
  .some((transfer) => transfer.number === number && !transfer.even);

/** The payments that a balance consists of, at its payer only. */
const transfersOf = ({ id, parts }) => parts
  .filter(({ source, amount }) => source === 'transfer' && amount > 0)
  .map(({ number, at, amount, members: [payee] }) => ({ number, at, amount, from: id, to: payee }));

const isBetweenPresent = ({ from: payer, to: payee }, members) => members
  .every((member) => ![payer, payee].includes(member.id) || !member.has_left);

function backButton({ number, from: payer, to: payee, amount }, members, money, putRight) {
  const name = t('settle.back_line', { from: memberName(members, payee), to: memberName(members, payer),
    amount: money.plain(amount) });
  return actionButton(`back-${number}`, t('settle.back'),
    () => putRight({ from: payee, to: payer, amount }), { name });
}
