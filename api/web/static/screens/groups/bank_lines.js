// Lines of a bank's file against what the members of a group still owe each other: a file is chosen, each
// line is shown as a card with the payment that it may be and why, and a person approves. The file is read by
// the server and kept nowhere but on this screen.

import { getJson, sendRequest } from '../../core/api_client.js';
import { Problem } from '../../core/request_errors.js';
import { formatDay, moneyWriter, t } from '../../core/translator.js';
import { forgetFile, keyPerRequest, readChosenFile, readingNote, sendWrite, warnOfError,
  withProgress } from '../../features/direct_requests.js';
import { groupPath } from '../../features/groups/group_client.js';
import { balanceCurrencies } from '../../features/groups/period.js';
import { buildElement, h } from '../../ui/elements.js';
import { choiceField, currencySelect, fieldset, pillGroup } from '../../ui/fields.js';
import { actionButton, actionLink, announce, confirmSheet, showScreen } from '../../ui/page.js';
import { memberLabel, memberName } from '../../ui/player_tokens.js';

export async function bankLinesScreen({ id, group, home, isCurrent }) {
  const path = groupPath(id, '/bank-lines');
  const [approved, figures] = await Promise.all([getJson(path), getJson(groupPath(id, '/open-balances'))]);
  if (!isCurrent()) return null;
  const currencies = balanceCurrencies(figures, group.sessions)
    .filter((code) => code !== 'chips'); // no bank has them
  let request = { file: null, account: group.members[0]?.id, currency: currencies.at(-1) ?? 'SEK',
    columns: null, date_order: null };
  const view = { used: approved.lines, preview: null, fileError: null, isReading: false, isSending: false };
  let key = keyPerRequest();
  let chosenFile = null;

  const fileField = buildElement(h('input', { type: 'file', name: 'file', 'data-key': 'bank-file',
    accept: '.csv,.txt,.tsv,text/csv,text/plain', onclick: forgetFile,
    onchange: (event) => chooseFile(event.target.files[0]) }));

  async function chooseFile(file) {
    if (!file) return;
    chosenFile = file;
    const { content, message } = await readChosenFile(file);
    if (file !== chosenFile || !isCurrent()) return; // another file was chosen meanwhile
    if (content === null) Object.assign(view, { preview: null, fileError: { message } });
    await change({ file: content, columns: null, date_order: null });
  }

  function showReading(reads) {
    view.isReading = reads;
    if (reads && isCurrent()) draw();
  }

  /** Requests the preview again with these changes; only the answer to the last request is shown. */
  async function change(changes) {
    request = { ...request, ...changes };
    if (request.file === null) { draw(); return; }
    const requested = request;
    const isLatest = () => isCurrent() && requested === request;
    try {
      const { body: preview } = await withProgress(() =>
        sendRequest('POST', `${path}/preview`, { body: requested }), showReading);
      if (!isLatest()) return;
      Object.assign(view, { preview, fileError: null });
    } catch (error) {
      if (!isLatest()) return;
      if (error instanceof Problem) Object.assign(view, { preview: null, fileError: error });
      else warnOfError(error);
    }
    draw();
  }

  async function approve(pairs) {
    const lines = pairs.map(([line, transfer]) => ({
      line_sha256: line.line_sha256, session: transfer.session, from: transfer.from, to: transfer.to,
      amount: Math.abs(line.amount), open_amount: transfer.open_amount,
    }));
    const body = { lines, currency: request.currency };
    await write(() => sendWrite(path, body, { key: key(body) }),
      t('bank.approved', { count: lines.length }));
  }

  const release = (line) => confirmSheet({
    title: t('bank.release_ask'), words: [t('bank.release_what')], cancelLabel: t('bank.release_no'),
    confirmLabel: t('bank.release'), onConfirm: () => write(
      () => sendWrite(`${path}/${line.line_sha256}`, undefined,
        { method: 'DELETE', key: key({ released: line.line_sha256 }) }),
      t('bank.released')),
  });

  /** Sends a write; even if it fails, the file is then compared again with what is open now. */
  async function write(send, words) {
    if (view.isSending) return;
    view.isSending = true;
    draw();
    try {
      view.used = (await send()).lines;
      key = keyPerRequest();
      announce(words);
    } catch (error) {
      warnOfError(error);
    }
    view.isSending = false;
    if (isCurrent()) await change({});
  }

  function draw(fresh = false) {
    const { preview, fileError } = view;
    const certain = (preview?.lines ?? []).filter(isCertain);
    showScreen({
      title: t('bank.title'), backHref: home, fresh,
      main: [
        h('p', { class: 'muted' }, t('bank.what')),
        choiceField({ name: 'account', words: t('bank.account'), value: request.account,
          values: group.members.map(({ id: member, name }) => [member, name]),
          pick: (account) => change({ account }) }),
        currencies.length > 1
          && currencySelect(currencies, request.currency, (currency) => change({ currency })),
        h('label', { class: 'field' }, h('span', {}, t('bank.file')), fileField),
        view.isReading && readingNote(),
        fileError && h('p', { class: 'wrong', role: 'alert' }, fileError.message),
        fileError?.body?.reason === 'date_order_unclear' && dateOrderField(request, change),
        fileError?.body?.header?.length > 0 && bankColumnFields(
          request.columns ?? noColumns(fileError.body.header), fileError.body.header,
          (columns) => change({ columns }), true),
        preview && previewSections(preview),
        usedLines(view.used, { group, release, disabled: view.isSending }),
      ],
      bar: [certain.length > 0
        ? actionButton('approve-certain', t('bank.approve_certain', { count: certain.length }),
          () => approve(certain.map((line) => [line, line.transfers[0]])),
          { primary: true, disabled: view.isSending })
        : actionLink('group', group.name, home)],
    });
  }

  function previewSections({ columns, header, lines }) {
    const withStatus = (status) => lines.filter((line) => line.status === status);
    const [proposed, ambiguous] = [withStatus('proposed'), withStatus('ambiguous')];
    const usedCount = withStatus('used').length;
    const context = { group, currency: request.currency, approve, disabled: view.isSending };
    return [
      bankColumnFields(columns, header, (chosen) => change({ columns: chosen }), false),
      usedCount > 0 && h('p', { class: 'muted' }, t('bank.known', { count: usedCount })),
      proposed.length + ambiguous.length === 0 && h('p', { class: 'empty' }, t('bank.none')),
      proposed.length > 0 && h('section', { 'data-key': 'proposed' }, h('h2', {}, t('bank.proposed')),
        h('ul', { class: 'bank-lines' }, proposed.map((line) => proposalCard(line, context)))),
      ambiguous.length > 0 && h('section', { 'data-key': 'ambiguous' }, h('h2', {}, t('bank.ambiguous')),
        h('p', { class: 'muted' }, t('bank.ambiguous_what')),
        h('ul', { class: 'bank-lines' }, ambiguous.map((line) => ambiguousCard(line, context)))),
      leftOverLines(withStatus('left_over'), context),
    ];
  }

  draw(true);
  return {};
}

// How the file is read: which columns count, and whether the day or the month comes first.
const COLUMN_FIELDS = ['date', 'amount', 'debit', 'credit'];

/** The columns to begin with in a file that is not understood; what it says is in those with text. */
const noColumns = (header) => ({ date: null, amount: null, debit: null, credit: null,
  texts: header.filter(({ kind }) => kind === 'text').map(({ column }) => column) });

/** The columns, folded up: most files are understood. `change(columns)` once they make sense. */
function bankColumnFields(columns, header, change, open) {
  const options = [[null, t('bank.no_column')], ...header.map(({ column, heading }) =>
    [column, heading || t('imports.column', { number: column })])];
  const pick = (field) => (column) => {
    const chosen = Object.assign(columns, { [field]: column });
    // one signed column, or two: never both
    if (column !== null && field === 'amount') Object.assign(chosen, { debit: null, credit: null });
    if (column !== null && ['debit', 'credit'].includes(field)) chosen.amount = null;
    if (chosen.date && (chosen.amount || chosen.debit || chosen.credit)) change({ ...chosen });
  };
  return h('details', { class: 'disclosure', 'data-key': 'columns', open },
    h('summary', {}, t('bank.columns')),
    COLUMN_FIELDS.map((field) => choiceField({ name: field, words: t(`bank.column.${field}`),
      value: columns[field], values: columns[field] && field === 'date' ? options.slice(1) : options,
      pick: pick(field) })));
}

/** For dates such as 11/12/2026. */
const dateOrderField = (request, change) => fieldset(t('bank.order'), null,
  pillGroup('date-order', [['dmy', t('bank.order.dmy')], ['mdy', t('bank.order.mdy')]],
    request.date_order, (order) => change({ date_order: order })));

/** Whether a line needs no second look: the amount is the same, and the name or the message as well. */
const isCertain = ({ status, transfers }) => status === 'proposed'
  && transfers[0].reasons.includes('amount')
  && ['name', 'message'].some((reason) => transfers[0].reasons.includes(reason));

/** A line and the one payment that fits it. */
const proposalCard = (line, context) => h('li', { class: 'callout', 'data-line': line.row },
  lineText(line, context.currency), transferRow(line, line.transfers[0], context));

/** A line and the payments that fit it equally well, each with a button of its own. */
const ambiguousCard = (line, context) => h('li', { class: 'callout', 'data-line': line.row },
  lineText(line, context.currency), line.transfers.map((transfer) => transferRow(line, transfer, context)));

/** Lines that fit no open payment, folded, because most lines of an account are private. */
function leftOverLines(lines, { currency }) {
  if (lines.length === 0) return null;
  return h('details', { class: 'disclosure', 'data-key': 'left-over' },
    h('summary', {}, t('bank.left_over', { count: lines.length })),
    h('p', { class: 'muted' }, t('bank.left_over_what')),
    h('ul', { class: 'rows' }, lines.map((line) => h('li', { class: 'row', 'data-line': line.row },
      lineText(line, currency, lines)))));
}

/** Every approved line, the latest first, with a button that takes the approval back. */
function usedLines(lines, { group, release, disabled }) {
  if (lines.length === 0) return null;
  const money = (currency) => moneyWriter(currency, lines.filter((line) => line.currency === currency)
    .map(({ amount }) => amount));
  return h('section', { 'data-key': 'used' }, h('h2', {}, t('bank.used')),
    h('ul', { class: 'rows' }, lines.map((line) => h('li', { class: 'row', 'data-used': line.line_sha256 },
      h('span', { class: 'row-name' }, transferText(line, group),
        h('span', { class: 'muted row-note' }, [eveningName(line, group),
          t('bank.used_on', { day: formatDay(line.used_at) })].join(' · '))),
      h('b', { class: 'amount' }, money(line.currency).plain(line.amount)),
      actionButton(`release-${line.line_sha256}`, t('bank.release'), () => release(line),
        { name: releaseLabel(line, group), disabled })))));
}

/** The day, what the bank wrote, and the amount with its sign. */
const lineText = ({ date, text, amount }, currency, list = []) => h('div', { class: 'bank-line' },
  h('span', { class: 'row-name' }, h('span', { class: 'sentence' }, h('bdi', {}, text)),
    h('span', { class: 'muted row-note' }, formatDay(date))),
  h('b', { class: amount > 0 ? 'amount plus' : 'amount minus' },
    moneyWriter(currency, [amount, ...list.map((line) => line.amount)]).signed(amount)));

function transferRow(line, transfer, { group, currency, approve, disabled }) {
  const money = moneyWriter(currency, [transfer.open_amount, line.amount]);
  const isPart = transfer.reasons.includes('part');
  return h('div', { class: 'bank-transfer' },
    h('span', { class: 'row-name' }, transferText(transfer, group),
      h('span', { class: 'muted row-note' }, [eveningName(transfer, group),
        isPart && t('bank.open', { amount: money.plain(transfer.open_amount) })].filter(Boolean)
        .join(' · ')),
      h('span', { class: 'muted row-note', 'data-key': 'reasons' }, transfer.reasons.map((reason) =>
        t(`bank.reason.${reason}`)).join(', '))),
    actionButton(`approve-${line.row}-${transfer.number ?? 'all'}-${transfer.from}-${transfer.to}`,
      t('bank.approve'), () => approve([[line, transfer]]), { disabled,
        name: t('bank.approve_line', { amount: money.plain(Math.abs(line.amount)),
          ...names(transfer, group) }) }));
}

const names = ({ from: payer, to: payee }, { members }) =>
  ({ payer: memberName(members, payer), payee: memberName(members, payee) });

const releaseLabel = (line, group) => t('bank.release_line', {
  amount: moneyWriter(line.currency, [line.amount]).plain(line.amount), ...names(line, group) });

/** Both people, the payer first. */
const transferText = ({ from: payer, to: payee }, { members }) => h('span', { class: 'flow' },
  memberLabel(members, payer), h('span', { class: 'muted' }, t('money.to')), memberLabel(members, payee));

/** The evening that a transfer settles, or all of them. */
function eveningName({ session, title }, { sessions }) {
  if (session === null) return t('bank.all_evenings');
  const evening = sessions.find((each) => each.session === session);
  return [title, evening && formatDay(evening.created_at)].filter(Boolean).join(', ');
}
