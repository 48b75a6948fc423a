// How a bank's file is read: which columns count, and whether the day or the month comes first.

import { t } from '../../core/translator.js';
import { h } from '../../ui/elements.js';
import { choiceField, fieldset, pillGroup } from '../../ui/fields.js';

const FIELDS = ['date', 'amount', 'debit', 'credit'];

/** The columns, folded up: most files are understood. `change(columns)` once they make sense. */
export function bankColumnFields(columns, header, change) {
  const options = [[null, t('bank.no_column')], ...header.map(({ column, heading }) =>
    [column, heading || t('bank.nth_column', { number: column })])];
  const pick = (field) => (column) => {
    const chosen = { ...columns, [field]: column };
    // one signed column, or two: never both
    if (column !== null && field === 'amount') Object.assign(chosen, { debit: null, credit: null });
    if (column !== null && ['debit', 'credit'].includes(field)) chosen.amount = null;
    if (chosen.date && (chosen.amount || chosen.debit || chosen.credit)) change(chosen);
  };
  return h('details', { class: 'disclosure', 'data-key': 'columns' },
    h('summary', {}, t('bank.columns')),
    FIELDS.map((field) => choiceField({ name: field, words: t(`bank.column.${field}`),
      value: columns[field], values: field === 'date' ? options.slice(1) : options, pick: pick(field) })));
}

/** For dates such as 11/12/2026. */
export const dateOrderField = (request, change) => fieldset(t('bank.order'), null,
  pillGroup('date-order', [['dmy', t('bank.order.dmy')], ['mdy', t('bank.order.mdy')]],
    request.date_order, (order) => change({ date_order: order })));
