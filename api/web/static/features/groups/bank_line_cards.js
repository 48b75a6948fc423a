// Lines of a bank's file as cards: what the bank wrote, the payment that it may be, and why.

import { formatDay, moneyWriter, t } from '../../core/translator.js';
import { h } from '../../ui/elements.js';
import { memberLabel, memberName } from '../../ui/player_tokens.js';

/** Whether a line needs no second look: the amount is the same, and the name or the message as well. */
export const isCertain = ({ status, transfers }) => status === 'proposed'
  && transfers[0].reasons.includes('amount')
  && ['name', 'message'].some((reason) => transfers[0].reasons.includes(reason));

/** A line and the one payment that fits it. */
export const proposalCard = (line, context) => h('li', { class: 'callout', 'data-line': line.row },
  lineText(line, context.currency), transferRow(line, line.transfers[0], context));

/** A line and the payments that fit it equally well, each with a button of its own. */
export const ambiguousCard = (line, context) => h('li', { class: 'callout', 'data-line': line.row },
  lineText(line, context.currency), line.transfers.map((transfer) => transferRow(line, transfer, context)));

/** Lines that fit no open payment, folded, because most lines of an account are private. */
export function leftOverLines(lines, { currency }) {
  if (lines.length === 0) return null;
  return h('details', { class: 'disclosure', 'data-key': 'left-over' },
    h('summary', {}, t('bank.left_over', { count: lines.length })),
    h('p', { class: 'muted' }, t('bank.left_over_what')),
    h('ul', { class: 'rows' }, lines.map((line) => h('li', { class: 'row', 'data-line': line.row },
      lineText(line, currency, lines)))));
}

/** Every approved line, the latest first, with a button that takes the approval back. */
export function usedLines(lines, { group, release, isOff }) {
  if (lines.length === 0) return null;
  const money = (currency) => moneyWriter(currency, lines.filter((line) => line.currency === currency)
    .map(({ amount }) => amount));
  return h('section', { 'data-key': 'used' }, h('h2', {}, t('bank.used')),
    h('ul', { class: 'rows' }, lines.map((line) => h('li', { class: 'row', 'data-used': line.line_sha256 },
      h('span', { class: 'row-name' }, transferText(line, group),
        h('span', { class: 'muted row-note' }, [eveningName(line, group),
          t('bank.used_on', { day: formatDay(line.used_at) })].join(' · '))),
      h('b', { class: 'amount' }, money(line.currency).plain(line.amount)),
      h('button', { type: 'button', class: 'button', disabled: isOff,
        'data-key': `release-${line.line_sha256}`, 'aria-label': releaseLabel(line, group),
        onclick: () => release(line) }, t('bank.release'))))));
}

/** The day, what the bank wrote, and the amount with its sign. */
const lineText = ({ date, text, amount }, currency, list = []) => h('div', { class: 'bank-line' },
  h('span', { class: 'row-name' }, h('span', { class: 'sentence' }, h('bdi', {}, text)),
    h('span', { class: 'muted row-note' }, formatDay(date))),
  h('b', { class: amount > 0 ? 'amount plus' : 'amount minus' },
    moneyWriter(currency, [amount, ...list.map((line) => line.amount)]).signed(amount)));

function transferRow(line, transfer, { group, currency, approve, isOff }) {
  const money = moneyWriter(currency, [transfer.open_amount, line.amount]);
  const isPart = transfer.reasons.includes('part');
  return h('div', { class: 'bank-transfer' },
    h('span', { class: 'row-name' }, transferText(transfer, group),
      h('span', { class: 'muted row-note' }, [eveningName(transfer, group),
        isPart && t('bank.open', { amount: money.plain(transfer.open_amount) })].filter(Boolean)
        .join(' · ')),
      h('span', { class: 'muted row-note', 'data-key': 'reasons' }, transfer.reasons.map((reason) =>
        t(`bank.reason.${reason}`)).join(', '))),
    h('button', { type: 'button', class: 'button', disabled: isOff,
      'data-key': `approve-${line.row}-${transfer.number ?? 'all'}-${transfer.from}-${transfer.to}`,
      'aria-label': t('bank.approve_line', { amount: money.plain(Math.abs(line.amount)),
        ...names(transfer, group) }),
      onclick: () => approve([[line, transfer]]) }, t('bank.approve')));
}

const names = ({ from: payer, to: payee }, { members }) =>
  ({ payer: memberName(members, payer), payee: memberName(members, payee) });

const releaseLabel = (line, group) => t('bank.release_line', {
  amount: moneyWriter(line.currency, [line.amount]).plain(line.amount), ...names(line, group) });

/** Both people, the payer first. */
const transferText = ({ from: payer, to: payee }, { members }) => h('span', { class: 'flow' },
  memberLabel(members, payer), h('span', { class: 'muted' }, t('bank.pays')), memberLabel(members, payee));

/** The evening that a transfer settles, or all of them. */
function eveningName({ session, title }, { sessions }) {
  if (session === null) return t('bank.all_evenings');
  const evening = sessions.find((each) => each.session === session);
  return [title, evening && formatDay(evening.created_at)].filter(Boolean).join(', ');
}
