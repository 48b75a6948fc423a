// As few payments as there can be, or all of them by way of whoever keeps the box.

import { h } from '../../ui/elements.js';
import { fieldset, pills } from '../../ui/fields.js';
import { person } from '../../ui/player_tokens.js';
import { t } from '../../core/translator.js';

/** `go(player)`: by way of whom from now on, null for the fewest. */
export const way = ({ state, plan, go }) => h('div', {},
  fieldset(t('settle.way'), null, pills('way', [['fewest', t('settle.fewest')], ['through', t('settle.through')]], plan.through ? 'through' : 'fewest',
    (chosen) => go(chosen === 'fewest' ? null : richest(state)))),
  plan.through && fieldset(t('settle.treasurer'), null,
    pills('treasurer', state.players.map(({ id }) => [id, person(state, id)]), plan.through, go)));

/** Until somebody is named: whoever is to get most keeps it, since most of it ends there anyway. */
const richest = ({ balances, players }) => players.map(({ id }) => id)
  .reduce((best, id) => (balances[id] > balances[best] ? id : best));
