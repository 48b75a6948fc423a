// What an earlier evening left open, said plainly, and whether tonight goes on with it.

import { getJson, sessionPath } from '../../core/api_client.js';
import { groupOfSession, knownSessions } from '../../core/device_storage.js';
import { currencyName, moneyWriter } from '../../core/money_format.js';
import { listNames, t } from '../../core/translator.js';
import { gameName } from '../../domain/games.js';
import { h } from '../../ui/elements.js';
import { memberSums } from '../../ui/member_tokens.js';
import { groupPath, openSessionOnTap, warnOfTrouble } from './group_client.js';

const openItemsWriter = ({ currency, pot, bets, balances }) =>
  moneyWriter(currency, [pot, ...bets.map(({ amount }) => amount), ...Object.values(balances)]);

/** The pot, the bets, and who is owed or owes. */
export function openItemsCard(openItems, members) {
  const money = openItemsWriter(openItems);
  const { pot, bets, balances } = openItems;
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
function carryHindrance(openItems, { key, unit }, currency) {
  if (!openItems.ready) return 'open';
  if (unit !== 'money') return 'points';
  if (openItems.currency !== currency) return 'currency';
  return (openItems.pot > 0 || openItems.bets.length > 0) && openItems.game !== key ? 'game' : null;
}

/** Whether tonight goes on with it: as somebody chose, and before anybody has, if it is the same game. */
const wantedCarry = (openItems, rules, { carry }) => carry ?? openItems.game === rules.key;

export const carrySwitch = (openItems, rules, wish) => openItems !== null
  && carryHindrance(openItems, rules, wish.currency) === null && wantedCarry(openItems, rules, wish);

/** The card; `wish.carry` becomes what somebody says with the switch on it. */
export function carryForwardCard(openItems, group, rules, wish, day) {
  const hindrance = carryHindrance(openItems, rules, wish.currency);
  const groupSession = group.evenings.find(({ session }) => session === openItems.session);
  return h('section', { class: 'offer', 'data-key': 'carry-card' },
    h('h2', {}, t('carry.title', { when: day })),
    openItemsCard(openItems, group.members),
    hindrance === null
      ? h('label', { class: 'switch-on' },
        h('span', {}, h('b', {}, t('carry.on')), h('small', { class: 'dim' }, t('carry.on_what'))),
        h('input', { type: 'checkbox', role: 'switch', checked: wantedCarry(openItems, rules, wish),
          'data-key': 'carry', onchange: (event) => { wish.carry = event.target.checked; } }))
      : h('p', { class: 'banner' }, t(`carry.not.${hindrance}`,
        { game: gameName(openItems.game), currency: currencyName(openItems.currency) })),
    hindrance === 'open'
      && h('a', { class: 'button', href: `#/s/${openItems.session}`, 'data-key': 'to-earlier',
      onclick: openSessionOnTap(groupSession) }, t('carry.to_it')));
}

// The way from one evening to another that goes on with the same money, as far as this phone knows it.

/** A link from the evening `here` to `there`; null where neither that evening nor their circle is known. */
export function neighbourSessionLink(sessionId, neighbourId, { key, words }) {
  const isKnown = knownSessions().some(({ id }) => id === neighbourId);
  const group = groupOfSession(sessionId);
  if (!isKnown && !group) return null;
  return h('a', { class: 'link', href: `#/s/${neighbourId}`, 'data-key': key,
    onclick: isKnown ? null : letIntoSession(group, neighbourId) }, words);
}

/** Where this phone has not been before, the circle says by which right it goes in. */
const letIntoSession = (group, neighbourId) => async (event) => {
  event.preventDefault();
  try {
    const { evenings: theirs } = await getJson(groupPath(group.id));
    await openSessionOnTap(theirs.find(({ session }) => session === neighbourId))(event);
  } catch (trouble) {
    warnOfTrouble(trouble);
  }
};

// What came along from the evening before, as this evening's own book says it.
// events: it is among those an evening opens with, after everybody who was owed or owing
const FIRST_EVENTS = 100;

/** Resolves to the event; nothing moves it, so it is asked for once. */
export const fetchCarriedForward = async (id) =>
  (await getJson(sessionPath(id, `/events?after=0&limit=${FIRST_EVENTS}`))).events
  .find(({ type }) => type === 'brought_forward');

/** The same as a row of the history, beneath the first deal. */
export function carriedBalancesNote(state, { data: { session: earlierSession, pot, bets, balances } }) {
  const openItems = { currency: state.currency, pot, balances, bets: bets
    .map(({ by: owners, each: share }) => ({ amount: owners.length * share })) };
  return h('li', { class: 'row along', 'data-key': 'along' },
    h('b', {}, t('carry.along')), openItemsCard(openItems, state.players),
    neighbourSessionLink(state.id, earlierSession, { key: 'to-before', words: t('carry.to_it') }));
}
