// What an earlier evening left open, said plainly, and whether tonight goes on with it.

import { getJson, sessionPath } from '../../core/api_client.js';
import { groupOfSession, knownSessions } from '../../core/device_storage.js';
import { currencyName, moneyWriter } from '../../core/money_format.js';
import { listNames, t } from '../../core/translator.js';
import { gameName } from '../../domain/games.js';
import { h } from '../../ui/elements.js';
import { memberSums } from '../../ui/member_tokens.js';
import { groupPath, openSessionOnTap, warnOfTrouble } from './group_client.js';

const writerOfSession = ({ currency, pot, bets, balances }) =>
  moneyWriter(currency, [pot, ...bets.map(({ amount }) => amount), ...Object.values(balances)]);

/** The pot, the bets, and who is owed or owes. */
export function openItemsCard(over, members) {
  const money = writerOfSession(over);
  const { pot, bets, balances } = over;
  return [
    pot > 0 && h('p', {}, t('carry.pot', { amount: money.plain(pot) })),
    bets.length > 0
      && h('p', {},
      t('carry.bets',
      { count: bets.length, amounts: listNames(bets.map(({ amount }) => money.plain(amount))) })),
    Object.keys(balances).length > 0 && [h('p', {}, t('carry.balances')),
      memberSums(members, balances, money)],
  ];
}

/** Why an evening of this kind cannot go on with it; null when it can. */
function carryHindrance(over, { key, unit }, currency) {
  if (!over.ready) return 'open';
  if (unit !== 'money') return 'points';
  if (over.currency !== currency) return 'currency';
  return (over.pot > 0 || over.bets.length > 0) && over.game !== key ? 'game' : null;
}

/** Whether tonight goes on with it: as somebody chose, and before anybody has, if it is the same game. */
const wantedCarry = (over, rules, { carry }) => carry ?? over.game === rules.key;

export const carrySwitch = (over, rules, wish) => over !== null
  && carryHindrance(over, rules, wish.currency) === null && wantedCarry(over, rules, wish);

/** The card; `wish.carry` becomes what somebody says with the switch on it. */
export function carryForwardCard(over, circle, rules, wish, when) {
  const stands = carryHindrance(over, rules, wish.currency);
  const evening = circle.evenings.find(({ session }) => session === over.session);
  return h('section', { class: 'offer', 'data-key': 'carry-card' },
    h('h2', {}, t('carry.title', { when })),
    openItemsCard(over, circle.members),
    stands === null
      ? h('label', { class: 'switch-on' },
        h('span', {}, h('b', {}, t('carry.on')), h('small', { class: 'dim' }, t('carry.on_what'))),
        h('input', { type: 'checkbox', role: 'switch', checked: wantedCarry(over, rules, wish),
          'data-key': 'carry', onchange: (event) => { wish.carry = event.target.checked; } }))
      : h('p', { class: 'banner' }, t(`carry.not.${stands}`,
        { game: gameName(over.game), currency: currencyName(over.currency) })),
    stands === 'open'
      && h('a', { class: 'button', href: `#/s/${over.session}`, 'data-key': 'to-earlier',
      onclick: openSessionOnTap(evening) }, t('carry.to_it')));
}

// The way from one evening to another that goes on with the same money, as far as this phone knows it.

/** A link from the evening `here` to `there`; null where neither that evening nor their circle is known. */
export function neighbourSessionLink(here, there, { key, words }) {
  const known = knownSessions().some(({ id }) => id === there);
  const circle = groupOfSession(here);
  if (!known && !circle) return null;
  return h('a', { class: 'link', href: `#/s/${there}`, 'data-key': key,
    onclick: known ? null : letIntoSession(circle, there) }, words);
}

/** Where this phone has not been before, the circle says by which right it goes in. */
const letIntoSession = (circle, there) => async (event) => {
  event.preventDefault();
  try {
    const { evenings: theirs } = await getJson(groupPath(circle.id));
    await openSessionOnTap(theirs.find(({ session }) => session === there))(event);
  } catch (trouble) {
    warnOfTrouble(trouble);
  }
};

// What came along from the evening before, as this evening's own book says it.
// events: it is among those an evening opens with, after everybody who was owed or owing
const FIRST_EVENTS = 100;

/** Resolves to the event; nothing moves it, so it is asked for once. */
export const carriedBalances = async (id) =>
  (await getJson(sessionPath(id, `/events?after=0&limit=${FIRST_EVENTS}`))).events
  .find(({ type }) => type === 'brought_forward');

/** The same as a row of the history, beneath the first deal. */
export function carriedBalancesNote(state, { data: { session: before, pot, bets, balances } }) {
  const over = { currency: state.currency, pot, balances, bets: bets
    .map(({ by, each }) => ({ amount: by.length * each })) };
  return h('li', { class: 'row along', 'data-key': 'along' },
    h('b', {}, t('carry.along')), openItemsCard(over, state.players),
    neighbourSessionLink(state.id, before, { key: 'to-before', words: t('carry.to_it') }));
}
