// What an earlier evening left open, said plainly, and whether tonight goes on with it.

import { h } from '../../ui/elements.js';
import { currencyNamed, writer } from '../../core/money_format.js';
import { t, together } from '../../core/translator.js';
import { into } from './group_client.js';
import { sums } from './member_tokens.js';
import { gameNamed } from '../../domain/games.js';

const writerFor = ({ currency, pot, bets, balances }) =>
  writer(currency, [pot, ...bets.map(({ amount }) => amount), ...Object.values(balances)]);

/** The pot, the bets, and who is owed or owes. */
export function lyingOver(over, members) {
  const money = writerFor(over);
  const { pot, bets, balances } = over;
  return [
    pot > 0 && h('p', {}, t('carry.pot', { amount: money.plain(pot) })),
    bets.length > 0 && h('p', {}, t('carry.bets', { count: bets.length, amounts: together(bets.map(({ amount }) => money.plain(amount))) })),
    Object.keys(balances).length > 0 && [h('p', {}, t('carry.balances')), sums(members, balances, money)],
  ];
}

/** Why an evening of this kind cannot go on with it; null when it can. */
function hindrance(over, { key, unit }, currency) {
  if (!over.ready) return 'open';
  if (unit !== 'money') return 'points';
  if (over.currency !== currency) return 'currency';
  return (over.pot > 0 || over.bets.length > 0) && over.game !== key ? 'game' : null;
}

/** Whether tonight goes on with it: as somebody chose, and before anybody has, if it is the same game. */
const wanted = (over, rules, { carry }) => carry ?? over.game === rules.key;

export const carries = (over, rules, wish) => over !== null && hindrance(over, rules, wish.currency) === null && wanted(over, rules, wish);

/** The card; `wish.carry` becomes what somebody says with the switch on it. */
export function carryCard(over, circle, rules, wish, when) {
  const stands = hindrance(over, rules, wish.currency);
  const evening = circle.evenings.find(({ session }) => session === over.session);
  return h('section', { class: 'offer', 'data-key': 'carry-card' },
    h('h2', {}, t('carry.title', { when })),
    lyingOver(over, circle.members),
    stands === null
      ? h('label', { class: 'switch-on' },
        h('span', {}, h('b', {}, t('carry.on')), h('small', { class: 'dim' }, t('carry.on_what'))),
        h('input', { type: 'checkbox', role: 'switch', checked: wanted(over, rules, wish), 'data-key': 'carry', onchange: (event) => { wish.carry = event.target.checked; } }))
      : h('p', { class: 'banner' }, t(`carry.not.${stands}`, { game: gameNamed(over.game), currency: currencyNamed(over.currency) })),
    stands === 'open' && h('a', { class: 'button', href: `#/s/${over.session}`, 'data-key': 'to-earlier', onclick: into(evening) }, t('carry.to_it')));
}
