// The preview of a file of earlier evenings: its columns and names as the server proposes them, to be
// changed; the faults that keep it from being recorded, what a person has decided about them, the evenings
// that may be in the book already, and what would be recorded.

import { formatDate, t } from '../../core/translator.js';
import { signClass } from '../../domain/amounts.js';
import { figuresTable } from '../../ui/chart.js';
import { h, icon } from '../../ui/elements.js';
import { choiceField, currencySelect, fieldset, pillGroup } from '../../ui/fields.js';
import { actionButton } from '../../ui/page.js';
import { memberName } from '../../ui/player_tokens.js';
import { OFFERED_CURRENCIES } from '../session_setup.js';

const MAX_SHOWN = 100; // evenings in the fold

/** Rows that cannot be read: each with what to do, and a way to leave it out. */
export function faultRows({ preview, choices, change }) {
  return preview.faults.length > 0 && section('faults', t('imports.unreadable'),
    preview.faults.map(({ row, detail }, index) => h('li', { class: 'row' },
      warning(detail),
      row !== null && leaveButton(`skip-${row}-${index}`, [row], { choices, change }))));
}

/**
 * Evenings of a day that the book has already, and unlikely ones: each with what to do, and a way to leave it
 * out. Nothing waits for a decision, as two evenings may be of one day.
 */
export function warningRows(context) {
  const isOfSameDay = ({ reason }) => reason.startsWith('same_day');
  const isUnlikely = (warning) => !isOfSameDay(warning);
  const { warnings } = context.preview;
  return [
    warningSection('same-days', t('imports.same_days'), warnings.filter(isOfSameDay), context),
    warningSection('unlikely', t('imports.unlikely'), warnings.filter(isUnlikely), context),
  ];
}

/** The evenings of some warnings. An evening may be in both sections, so buttons count all warnings. */
function warningSection(key, title, warnings, { preview, choices, change }) {
  const allWarnings = preview.warnings;
  return warnings.length > 0 && h('section', { 'data-key': key }, h('h2', {}, title),
    h('ul', { class: 'rows' }, warnings.slice(0, MAX_SHOWN).map((warning) =>
      h('li', { class: 'row' },
        h('p', { style: { 'flex-basis': '100%' } }, warning.detail),
        leaveButton(`leave-${warning.rows[0]}-${allWarnings.indexOf(warning)}`, warning.rows,
          { choices, change })))),
    warnings.length > MAX_SHOWN && h('p', { class: 'muted' },
      t('imports.more', { count: warnings.length - MAX_SHOWN })));
}

/** Evenings that do not add up to zero, and who bears the difference. */
export function differenceRows({ preview, choices, members, change, money }) {
  const unbalanced = preview.evenings.filter(({ difference, borne }) => difference !== 0 || borne !== null);
  const decide = (evening, choice) => {
    const { [evening.rows[0]]: _, ...differences } = choices.differences;
    if (choice === 'out')
      return change({ differences, omittedRows: [...choices.omittedRows, ...evening.rows] });
    return change({ differences: choice === '' ? differences
      : { ...differences, [evening.rows[0]]: choice } });
  };
  const row = (evening) => {
    const { rows, date, difference, borne } = evening;
    const label = t('imports.row_of', { row: rows[0], date: formatDate(date) });
    const name = borne && memberName(members, borne.member);
    return h('li', { class: 'row', 'data-key': `difference-${rows[0]}` },
      borne ? h('span', { class: 'row-name' }, label,
        h('span', { class: 'muted row-note' }, t('imports.borne',
          { name, amount: money.signed(borne.amount) })))
        : warning(label, h('b', { class: 'minus' }, t(difference > 0 ? 'imports.too_much'
          : 'imports.too_little', { amount: money.plain(Math.abs(difference)) }))),
      h('select', { 'aria-label': label, 'data-key': `decide-${rows[0]}`,
        onchange: (event) => decide(evening, event.target.value) },
      // Leaving out comes last: the arrow keys choose every option that they pass.
      [['', t('imports.decide')],
        ...members.map(({ id }) => [id, t('imports.bears', { name: memberName(members, id) })]),
        ['out', t('imports.leave_evening')]]
        .map(([value, text]) => h('option', { value,
          selected: value === (choices.differences[rows[0]] ?? '') }, text))));
  };
  return unbalanced.length > 0 && section('differences', t('imports.differences'), unbalanced.map(row));
}

/** Rows that a person has left out, each with a button that takes it back. */
export function omittedRowList({ choices, change }) {
  return choices.omittedRows.length > 0 && section('left-out', t('imports.left_out'),
    choices.omittedRows.map((row) => h('li', { class: 'row' },
      h('span', { class: 'row-name' }, t('imports.row', { row })),
      actionButton(`back-${row}`, t('imports.take_back'),
        () => change({ omittedRows: choices.omittedRows.filter((omitted) => omitted !== row) }),
        { name: t('imports.take_row_back', { row }) }))));
}

/** What will be recorded: totals, evenings, and whether the money has changed hands. */
export function recordedPart({ preview, choices, members, change, money }) {
  const { totals } = preview;
  const evenings = preview.evenings.filter(({ results }) => Object.keys(results).length > 0);
  if (evenings.length === 0) return h('p', { class: 'empty' }, t('imports.nothing'));
  const days = evenings.map(({ date }) => date).sort();
  const skipped = preview.skipped.filter(({ reason }) => reason !== 'chosen').map(({ row }) => row);
  return [
    figuresTable(t('imports.will_record'), 'totals', [t('season.member'), t('season.result')],
      Object.entries(totals).map(([member, amount]) => [memberName(members, member),
        [h('td', { class: signClass(amount) }, money.signed(amount))]])),
    h('p', { class: 'muted' }, t('imports.extent', { count: evenings.length, from: formatDate(days[0]),
      to: formatDate(days.at(-1)) })),
    skipped.length > 0 && h('p', { class: 'muted' }, t('imports.skipped', { rows: skipped.join(', ') })),
    h('details', { class: 'disclosure', 'data-key': 'evenings' },
      h('summary', {}, t('season.by_evening')),
      h('ol', { class: 'rows' }, evenings.slice(0, MAX_SHOWN).map((evening) =>
        eveningRow(evening, members, money))),
      evenings.length > MAX_SHOWN && h('p', { class: 'muted' },
        t('imports.more', { count: evenings.length - MAX_SHOWN }))),
    fieldset(t('imports.settled'), null, pillGroup('settled', [[false, t('imports.still_open')],
      [true, t('imports.is_settled')]], choices.settled, (settled) => change({ settled })),
    h('p', { class: 'muted' }, t('imports.settled_help'))),
  ];
}

const eveningRow = ({ date, results }, members, money) => h('li', { class: 'row' },
  h('span', { class: 'row-name' }, formatDate(date)),
  h('span', { class: 'amounts' }, Object.entries(results).map(([member, amount]) =>
    h('span', {}, `${memberName(members, member)} ${money.signed(amount)}`))));

/** A button that leaves rows out, named by the first of them. */
const leaveButton = (key, rows, { choices, change }) => actionButton(key, t('imports.leave'),
  () => change({ omittedRows: [...choices.omittedRows, ...rows] }),
  { name: t('imports.leave_row', { row: rows[0] }) });

const section = (key, title, rows) => h('section', { 'data-key': key }, h('h2', {}, title),
  h('ul', { class: 'rows' }, rows));

/** Red, with a sign of its own. */
const warning = (text, more = null) => h('span', { class: 'row-name wrong' },
  h('span', { class: 'lead' }, icon('cross'), text), more);

const NEW_MEMBER = 'new';
const AMOUNTS = { amount: null, debit: null, credit: null }; // one amount, or the two sides of one

/** The layout of the table and its columns; a change asks the server again. */
export function columnFields({ preview, choices, change }) {
  const { columns, date_orders: orders } = preview;
  const mapping = { ...preview.mapping, ...choices.mapping }; // a choice shows before the server has answered
  const set = (changes) => change({ mapping: { ...choices.mapping, ...changes } });
  const column = (field, words, otherFields = {}) => choiceField({
    name: field, words, value: mapping[field], pick: (number) => set({ ...otherFields, [field]: number }),
    values: [...(mapping[field] === null || field in AMOUNTS ? [[null, t('imports.no_column')]] : []),
      ...columns.map(columnChoice)],
  });
  const setLayout = (layout) => change({ mapping: { layout, date: mapping.date,
    date_order: choices.mapping.date_order ?? null } });
  return [
    pillGroup('layout', ['wide', 'long'].map((layout) => [layout, t(`imports.layout.${layout}`)]),
      mapping.layout, setLayout),
    column('date', t('imports.date')),
    orders.length > 1 && fieldset(t('imports.date_order'), null, pillGroup('date-order',
      orders.map((order) => [order, t(`imports.order.${order}`)]), mapping.date_order,
      (order) => set({ date_order: order }))),
    mapping.layout === 'long' ? [
      column('player', t('imports.player')),
      column('amount', t('imports.amount'), AMOUNTS),
      column('debit', t('imports.debit'), { amount: null, credit: mapping.credit }),
      column('credit', t('imports.credit'), { amount: null, debit: mapping.debit }),
    ] : resultColumns(columns, mapping, set),
  ];
}

const columnChoice = ({ column, heading, samples }) => [column,
  samples.length > 0 ? `${headingOf(column, heading)} (${samples[0]})` : headingOf(column, heading)];

const headingOf = (column, heading) => heading || t('imports.column', { number: column });

/** In a wide table: which columns are players. */
function resultColumns(columns, mapping, set) {
  const chosen = mapping.results ?? [];
  return h('fieldset', {}, h('legend', {}, t('imports.players')),
    columns.filter(({ column, kind }) => column !== mapping.date
      && (kind === 'amount' || chosen.includes(column)))
      .map(({ column, heading, samples }) => h('label', { class: 'option' },
        h('input', { type: 'checkbox', 'data-key': `column-${column}`, checked: chosen.includes(column),
          onchange: (event) => set({ results: columns.map((each) => each.column)
            .filter((number) => (number === column ? event.target.checked : chosen.includes(number))) }) }),
        h('span', {}, headingOf(column, heading), h('small', { class: 'muted' }, samples.join(' · '))))));
}

export const currencyField = ({ choices, change }) => currencySelect(
  [...new Set([choices.currency, ...OFFERED_CURRENCIES])], choices.currency,
  (currency) => change({ currency }));

/** Each name of the file with the member that it stands for. */
export function nameFields({ preview, choices, members, change, addMember, money }) {
  const isKnown = (name) => members.some((member) => member.name === name);
  return preview.names.map(({ name, member, total }, index) => choiceField({
    name: `name-${index}`, words: `${name} · ${money.signed(total)}`,
    value: name in choices.members ? choices.members[name] : member,
    values: [[null, t('imports.nobody')], ...members.map(({ id, name: label }) => [id, label]),
      ...(isKnown(name) ? [] : [[NEW_MEMBER, t('imports.new_member', { name })]])],
    pick: (id) => (id === NEW_MEMBER ? addMember(name)
      : change({ members: { ...choices.members, [name]: id } })),
  }));
}
