// The rules a table may settle for itself (rules §7, Polskt pass). Only what differs from the usual is sent.

import { h } from './dom.js';
import { choice } from './fields.js';
import { parse } from './money.js';
import { t } from './words.js';

const CHOICES = [
  ['merge_double_bets', [false, true]],
  ['amount_basis', ['pot', 'ante_only']],
  ['bet_payment', ['immediate', 'on_collection']],
  ['bet_tie', ['oldest', 'newest']],
  ['failed_vola_declarer_bet', ['none', 'bet']],
  ['all_one_two_declarers', ['both', 'none']],
  ['allow_early_end', [true, false]],
  ['jack_suit', ['trump', 'natural']],
  ['misdeal_policy', ['same_dealer', 'next_dealer']],
  ['leftover_policy', ['carry', 'refund_bets', 'split_equal', 'play_on']],
];

export function furtherRules(wish) {
  return [
    CHOICES.map(([name, values]) => choice({
      name, words: t(`option.${name}`), help: t(`option.${name}.help`), value: wish.rules[name] ?? values[0],
      values: values.map((value) => [value, t(`option.${name}.${value}`)]),
      pick: (value) => { wish.rules[name] = value; },
    })),
    h('label', { class: 'field' }, h('span', {}, t('option.credit_limit')),
      h('input', { type: 'text', inputmode: 'decimal', autocomplete: 'off', name: 'credit_limit', 'data-pointer': '/options/credit_limit',
        placeholder: t('option.credit_limit.none'), oninput: (event) => { wish.limit = event.target.value; } }),
      h('small', { class: 'dim' }, t('option.credit_limit.help'))),
  ];
}

export function chosenRules(wish, players) {
  const chosen = {};
  for (const [name, [usual]] of CHOICES) {
    const value = wish.rules[name] ?? usual;
    if (name === 'all_one_two_declarers' && players < 5) continue; // can only happen with five
    if (value !== usual) chosen[name] = value;
  }
  const limit = parse(wish.limit ?? '', wish.currency);
  if (limit !== null) chosen.credit_limit = limit;
  return chosen;
}
