// The fields of a shared cost: who paid, how much, what for, for whom; and the share of each.

import { sessionMoneyWriter, t } from '../core/translator.js';
import { parseAmount } from '../domain/amounts.js';
import { divideCost, isShared, partsOfEverybody } from '../domain/cost_division.js';
import { h } from '../ui/elements.js';
import { fieldset, pillGroup } from '../ui/fields.js';
import { playerLabel } from '../ui/player_tokens.js';
import { formatTypedAmount } from './settling/payment.js';

const PURPOSE_CHARACTERS = 60;
const PART_CHOICES = [0, 1, 2, 3];

/** What the form holds at first: nothing, or a cost that is to be corrected. */
export function costEntry(state, payer, cost = null, purpose = '') {
  if (cost === null) return { payer, text: '', purpose: '', parts: null };
  const parts = Object.fromEntries(partsOfEverybody(state, Object.fromEntries(
    cost.shares.map((share) => [share.player, share.parts]))));
  return { payer: cost.payer, text: formatTypedAmount(cost.amount, state.currency), purpose: purpose ?? '',
    parts: Object.values(parts).every((count) => count === 1) ? null : parts };
}

/** The body of the request; null until there are a payer, an amount and somebody else who shares it. */
export function costBody(state, { payer, text, purpose, parts }) {
  const amount = parseAmount(text, state.currency);
  if (!payer || amount === null || !isShared(partsOfEverybody(state, parts), payer)) return null;
  return { payer, amount, parts, purpose: purpose.trim() || null };
}

/** `number`: of the cost; it decides who bears the odd unit. `changed()` draws the screen again. */
export function costFields(state, entry, number, changed) {
  const amount = parseAmount(entry.text, state.currency);
  const isWrong = entry.text.trim() !== '' && amount === null;
  return h('form', { onsubmit: (event) => event.preventDefault(), novalidate: true },
    fieldset(t('cost.payer'), null, pillGroup('payer',
      state.players.map(({ id }) => [id, playerLabel(state, id)]), entry.payer,
      (id) => { entry.payer = id; changed(); })),
    h('label', { class: 'field' }, h('span', {}, t('settle.amount')),
      h('input', { type: 'text', inputmode: 'decimal', autocomplete: 'off', 'data-key': 'cost-amount',
        value: entry.text, 'aria-invalid': isWrong, 'aria-describedby': 'cost-wrong',
        oninput: ({ target }) => { entry.text = target.value; changed(); } }),
      h('small', { class: 'muted wrong', id: 'cost-wrong', hidden: !isWrong }, t('cost.wrong_amount'))),
    h('label', { class: 'field' }, h('span', {}, t('cost.purpose')),
      h('input', { type: 'text', maxlength: PURPOSE_CHARACTERS, autocomplete: 'off', value: entry.purpose,
        'data-key': 'cost-purpose', placeholder: t('cost.purpose_example'),
        oninput: ({ target }) => { entry.purpose = target.value; } })),
    bearers(state, entry, number, amount, changed));
}

/** The parts that each player bears, folded while everybody bears one, and the resulting shares. */
function bearers(state, entry, number, amount, changed) {
  const parts = partsOfEverybody(state, entry.parts);
  const isBorne = isShared(parts, entry.payer);
  const shares = amount !== null && isBorne ? divideCost(amount, parts, number) : [];
  const money = sessionMoneyWriter(state, shares.map((share) => share.amount));
  const shareOf = (id) => shares.find(({ player }) => player === id);
  const choose = (id, count) => { entry.parts = { ...Object.fromEntries(parts), [id]: count }; changed(); };
  return h('details', { class: 'disclosure', open: entry.parts !== null },
    h('summary', { 'data-key': 'for-whom' }, t(entry.parts === null ? 'cost.everybody' : 'cost.by_parts')),
    !isBorne && h('p', { class: 'muted wrong' }, t('cost.nobody')),
    h('ul', { class: 'rows' }, parts.map(([id, count]) => h('li', { class: 'row' }, playerLabel(state, id),
      shareOf(id) && h('b', { class: 'amount', 'data-share': id }, money.plain(shareOf(id).amount)),
      h('div', { role: 'group', 'aria-label': t('cost.parts', { name: state.players
        .find((player) => player.id === id).name }) },
      pillGroup(`parts-${id}`, partChoices(count), count, (chosen) => choose(id, chosen)))))),
    h('p', { class: 'muted' }, t('cost.odd')));
}

/** A cost from elsewhere may have more parts than the pills offer. */
const partChoices = (count) => [...new Set([...PART_CHOICES, count])]
  .map((choice) => [choice, choice === 0 ? '0' : `× ${choice}`]);
