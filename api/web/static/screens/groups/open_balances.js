// The open balances of a group: one page over all its evenings. First a picture of who is owed and who owes,
// where each row opens to its reasons; then the fewest payments that settle all of it, those that were made,
// and any other payment.

import { getJson } from '../../core/api_client.js';
import { roleInSession } from '../../core/device_storage.js';
import { Problem } from '../../core/request_errors.js';
import { currencyName, formatDay, listNames, moneyWriter, t } from '../../core/translator.js';
import { currencyDigits, parseAmount, signClass } from '../../domain/amounts.js';
import { keyPerRequest, sendWrite, warnOfError } from '../../features/direct_requests.js';
import { groupPath, openSessionOnTap } from '../../features/groups/group_client.js';
import { markCancelled, paymentFlow } from '../../features/settling/transfers.js';
import { h, icon, svg } from '../../ui/elements.js';
import { choiceField, currencySelect, fieldError } from '../../ui/fields.js';
import { actionButton, actionLink, announce, confirmSheet, showScreen, showWarning } from '../../ui/page.js';
import { hueClass, memberIndex, memberLabel, memberName } from '../../ui/player_tokens.js';

export async function openBalancesScreen({ id, group, home, isCurrent }) {
  const fetchFigures = () => getJson(groupPath(id, '/open-balances'));
  let figures = await fetchFigures();
  if (!isCurrent()) return null;
  const role = roleInSession(id);
  let key = keyPerRequest();
  const entry = { currency: null, from: null, to: null, text: '' };
  let recordedSentence = null;
  let unanswered = null; // the payment whose answer was lost, as text
  let isSending = false;

  /**
   * Records a payment of which `isOpen(figures)` still holds: another phone may have recorded it since the
   * balances were drawn. One whose answer was lost is sent again as it was.
   */
  async function payIfOpen(payment, isOpen) {
    if (isSending) return;
    isSending = true;
    recordedSentence = null;
    try {
      const isRetry = unanswered === JSON.stringify(payment);
      if (!isRetry) figures = await fetchFigures();
      if (isRetry || isOpen(figures)) await pay(payment);
      else if (isCurrent()) {
        draw();
        showWarning(t('settle.gone'));
      }
    } catch (error) {
      if (isCurrent()) {
        draw();
        warnOfError(error);
      }
    } finally {
      isSending = false;
    }
  }

  async function pay(payment, form = null) {
    const { from: payer, to: payee, amount, currency } = payment;
    const sentText = form === null ? null : entry.text;
    recordedSentence = null;
    unanswered = JSON.stringify(payment);
    try {
      figures = await sendWrite(groupPath(id, '/transfers'), payment, { key: key(payment) });
      key = keyPerRequest();
      unanswered = null;
      recordedSentence = t('settle.noted', { from: memberName(group.members, payer),
        to: memberName(group.members, payee), amount: moneyWriter(currency, [amount]).plain(amount) });
      if (entry.text === sentText) entry.text = ''; // another payment may have been typed meanwhile
    } catch (error) {
      if (error instanceof Problem) unanswered = null;
      if (error.code === 'plan_has_changed') figures = await fetchFigures();
      const placed = form !== null && error.errors?.some(({ pointer, detail }) =>
        fieldError(form, pointer, detail));
      if (!placed) warnOfError(error);
    }
    if (!isCurrent()) return;
    draw();
    if (recordedSentence !== null) announce(recordedSentence);
  }

  const draw = (fresh = false) => showScreen({
    title: t('open_balances.title'), backHref: home, fresh,
    main: [
      recordedSentence !== null
        && h('p', { class: 'confirmation' }, icon('check'), h('span', {}, recordedSentence)),
      figures.currencies.length === 0 && h('p', { class: 'empty' }, t('open_balances.none')),
      figures.currencies.map((balances) =>
        currencySection({ balances, group, several: figures.currencies.length > 1, role, home,
          payIfOpen })),
      role !== 'viewer' && group.members.length > 1 && paymentForm({ figures, group, entry, pay, draw }),
    ],
    bar: [role === 'host' && actionLink('leave', t('departure.title'), `${home}/leave`),
      actionLink('statement', t('menu.statement'), `${home}/statement`, { primary: true })],
  });
  draw(true);
  return {};
}

function currencySection({ balances, group, several, role, home, payIfOpen }) {
  const { currency, balances: rows, transfers, on_table: onTable } = balances;
  const people = [...group.members, ...rows.filter((row) => !row.is_member)];
  const money = moneyWriter(currency, [...rows.flatMap(({ amount, parts }) =>
    [amount, ...parts.map((part) => part.amount)]), ...transfers.map(({ amount }) => amount)]);
  const largest = Math.max(1, ...rows.map(({ amount }) => Math.abs(amount)));
  const isOpen = rows.some(({ amount }) => amount !== 0);
  return h('section', { 'data-key': `open-${currency}` },
    h('h2', {}, several ? currencyName(currency) : t('open_balances.who')),
    h('div', { class: 'standings' }, rows.map((row) => balanceRow({ row, people, group, money, largest,
      currency }))),
    onTable > 0 && h('p', { class: 'muted' }, t('open_balances.on_table', { amount: money.plain(onTable) })),
    !isOpen
      ? h('div', { class: 'all-settled' }, icon('check'), h('p', { class: 'headline' }, t('settle.even')))
      : h('div', { class: 'payment-plan' },
        h('p', { class: 'lead' }, t('settle.count', { count: transfers.length })),
        h('ul', { class: 'rows' }, transfers.map((line) =>
          planRow({ line, people, group, money, currency, role, home, payIfOpen })))),
    paidTransfers({ currency, rows, members: group.members, money,
      putRight: role !== 'viewer' && payIfOpen }));
}

/** A bar to the right for who is owed, to the left for who owes; opens to what the amount consists of. */
function balanceRow({ row, people, group, money, largest, currency }) {
  const { id, amount, parts } = row;
  const length = (Math.abs(amount) / largest) * 50;
  const start = amount < 0 ? 50 - length : 50;
  const state = amount === 0 ? t('figures.even')
    : t(amount > 0 ? 'figures.gets' : 'figures.pays', { amount: money.plain(Math.abs(amount)) });
  return h('details', { class: 'disclosure', 'data-key': `balance-${currency}-${id}` },
    h('summary', { class: `bar-row ${hueClass(memberIndex(people, id))}` }, memberLabel(people, id),
      h('span', { class: `bar-value ${signClass(amount)}`, 'data-amount': amount }, state),
      svg('svg', { class: 'bar', 'aria-hidden': 'true' },
        svg('rect', { class: 'filled', x: `${start.toFixed(2)}%`, y: '10%', width: `${length.toFixed(2)}%`,
          height: '80%', rx: 3 }),
        svg('line', { class: 'grid-line zero', x1: '50%', x2: '50%', y1: 0, y2: '100%' }))),
    h('ul', { class: 'rows' }, parts.map((part) => h('li', { class: 'row' }, partLabel(part, id, group),
      h('b', { class: `amount ${signClass(part.amount)}` }, money.signed(part.amount))))));
}

/** An evening leads to its own screen; anything else is a sentence. */
function partLabel(part, owner, group) {
  const day = h('span', { class: 'muted row-note' }, formatDay(part.at));
  if (part.source !== 'evening') return h('span', { class: 'row-name' },
    h('span', {}, partSentence(part, group)), day);
  const evening = group.sessions.find(({ number }) => number === part.number);
  return h('a', { class: 'row-link', href: `#/s/${part.session}`, onclick: openSessionOnTap(evening),
    'data-key': `part-${owner}-${part.number}` },
  h('span', { class: 'row-name' },
    h('span', {}, part.title ?? t('open_balances.evening', { number: part.number })), day));
}

function partSentence({ source, amount, members }, group) {
  const names = listNames(members.map((id) => memberName(group.members, id)));
  if (source === 'transfer')
    return t(amount > 0 ? 'open_balances.paid' : 'open_balances.was_paid', { names });
  return t(`open_balances.source.${source}`, { names });
}

function planRow({ line, people, group, money, currency, role, home, payIfOpen }) {
  const { from: payer, to: payee, amount } = line;
  const members = group.members.filter(({ id }) => [payer, payee].includes(id));
  const former = members.find(({ has_left: hasLeft }) => hasLeft);
  const values =
    { from: memberName(people, payer), to: memberName(people, payee), amount: money.plain(amount) };
  return h('li', { class: 'row transfer' },
    paymentFlow({ players: people, options: { stake: amount } }, money, line),
    role === 'viewer' ? null : former ? formerMemberNote(former, role, home) : members.length === 2
      ? actionButton(`paid-${payer}-${payee}`, t('settle.paid'),
        () => payIfOpen({ from: payer, to: payee, amount, currency, open_amount: amount },
          isPlanned(currency, line)),
        { name: t('settle.paid_line', values) })
      : h('span', { class: 'why muted' }, t('open_balances.elsewhere')));
}

/** Returns a check of the open balances: whether their plan has this payment. */
const isPlanned = (currency, line) => ({ currencies }) => currencies.some((balances) =>
  balances.currency === currency && balances.transfers.some(({ from: payer, to: payee, amount }) =>
    payer === line.from && payee === line.to && amount === line.amount));

/** An evening that was opened again can leave a balance to a member who has left. */
const formerMemberNote = ({ id, name }, role, home) => h('span', { class: 'why muted' },
  t('open_balances.has_left', { name }), ' ',
  role === 'host' && h('a', { href: `${home}/leave`, 'data-key': `readmit-${id}` },
    t('departure.back_name', { name })));

function amountToPay({ currencies }, { from: payer, currency }) {
  const rows = currencies.find((balances) => balances.currency === currency)?.balances ?? [];
  return Math.max(0, -(rows.find(({ id }) => id === payer)?.amount ?? 0));
}

/** A payment of more than is owed is most often a slip of the finger. */
function askAboutMore({ from: payer, amount, currency }, open, group, onConfirm) {
  const money = moneyWriter(currency, [amount, open]);
  const name = memberName(group.members, payer);
  confirmSheet({ title: t('open_balances.more_ask', { amount: money.plain(amount) }),
    words: [t('open_balances.more_what', { name, open: money.plain(open) })],
    cancelLabel: t('page.back'), confirmLabel: t('open_balances.record'), onConfirm });
}

/** Any other payment between two members, such as a part of one in the plan. */
function paymentForm({ figures, group, entry, pay, draw }) {
  const present = group.members.filter((member) => !member.has_left);
  const currencies = figures.currencies.map(({ currency }) => currency);
  const names = present.map(({ id, name }) => [id, name]);
  entry.currency ??= currencies[0] ?? group.sessions.at(-1)?.currency ?? 'SEK';
  entry.from ??= present.at(0)?.id;
  entry.to ??= present.at(1)?.id;
  const submit = (event) => {
    event.preventDefault();
    fieldError(event.target);
    const amount = parseAmount(entry.text, entry.currency);
    if (amount === null) {
      fieldError(event.target, '/amount', currencyDigits(entry.currency) > 0
        ? t('open_balances.amount_wrong') : t('opening.bad_number'));
      return;
    }
    const payment = { from: entry.from, to: entry.to, amount, currency: entry.currency };
    const record = () => pay(payment, event.target);
    const open = amountToPay(figures, payment);
    if (amount > open) askAboutMore(payment, open, group, record);
    else record();
  };
  return h('details', { class: 'disclosure', 'data-key': 'other-payment' },
    h('summary', {}, t('open_balances.other')),
    h('form', { novalidate: true, onsubmit: submit },
      choiceField({ name: 'from', words: t('open_balances.from'), values: names, value: entry.from,
        pick: (member) => { entry.from = member; draw(); } }),
      choiceField({ name: 'to', words: t('open_balances.to'), values: names, value: entry.to,
        pick: (member) => { entry.to = member; draw(); } }),
      currencies.length > 1
        && currencySelect(currencies, entry.currency, (code) => { entry.currency = code; draw(); }),
      h('label', { class: 'field' }, h('span', {}, t('settle.amount')),
        h('input', { type: 'text', inputmode: 'decimal', name: 'amount', value: entry.text,
          autocomplete: 'off', 'data-pointer': '/amount', 'data-key': 'amount',
          oninput: (event) => { entry.text = event.target.value; } })),
      h('button', { type: 'submit', class: 'button', 'data-key': 'record-payment' },
        t('open_balances.record'))));
}

// The payments that were made, folded up, the latest first.

/**
 * The payments in one currency, whose `rows` are its open balances, or null if there are none.
 * `putRight(reversed, isOpen)` records a payment if `isOpen(figures)` says that it has not been put right
 * yet; without it the list has no buttons.
 */
function paidTransfers({ currency, rows, members, money, putRight }) {
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
