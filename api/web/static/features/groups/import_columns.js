// The columns of a file of earlier evenings and the names in it: what the server proposes, to be changed.

import { currencyName, t } from '../../core/translator.js';
import { h } from '../../ui/elements.js';
import { choiceField, fieldset, pillGroup } from '../../ui/fields.js';

const CURRENCIES = ['SEK', 'DKK', 'EUR', 'NOK', 'chips'];
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

export function currencyField({ choices, change }) {
  const codes = [...new Set([choices.currency, ...CURRENCIES])];
  return choiceField({ name: 'currency', words: t('opening.currency'), value: choices.currency,
    values: codes.map((code) => [code, currencyName(code)]), pick: (currency) => change({ currency }) });
}

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
