// Carrying money forward: what an earlier session of a group left open (pot, bets and balances), the switch
// that takes it into a new session, and links between the two.

import { getJson, sessionPath } from '../../core/api_client.js';
import { groupOfSession, knownSession } from '../../core/device_storage.js';
import { currencyName, gameName, listNames, moneyWriter, t } from '../../core/translator.js';
import { h } from '../../ui/elements.js';
import { memberSums } from '../../ui/player_tokens.js';
import { warnOfError } from '../direct_requests.js';
import { groupPath, openSession, openSessionOnTap } from './group_client.js';

const openItemsWriter = ({ currency, pot, bets, balances }) =>
  moneyWriter(currency, [pot, ...bets.map(({ amount }) => amount), ...Object.values(balances)]);

/** The pot, the bets and the unpaid balances of `people`, as paragraphs. */
export function openItemsLines(openItems, people) {
  const money = openItemsWriter(openItems);
  const { pot, bets, balances } = openItems;
  return [
    pot > 0 && h('p', {}, t('carry_forward.pot', { amount: money.plain(pot) })),
    bets.length > 0 && h('p', {}, t('carry_forward.bets', {
      count: bets.length, amounts: listNames(bets.map(({ amount }) => money.plain(amount))),
    })),
    Object.keys(balances).length > 0 && [h('p', {}, t('carry_forward.balances')),
      memberSums(people, balances, money)],
  ];
}

/** Why a session with these rules and currency cannot take over the open items; null if it can. */
function carryHindrance(openItems, { key, unit }, currency) {
  if (!openItems.ready) return 'open';
  if (unit !== 'money') return 'points';
  if (openItems.currency !== currency) return 'currency';
  return (openItems.pot > 0 || openItems.bets.length > 0) && openItems.game !== key ? 'game' : null;
}

/**
 * The position of the switch: the user's choice, by default on if the game is the same and something is still
 * open.
 */
const wantedCarry = (openItems, rules, { carry, isAllPaid }) =>
  carry ?? (openItems.game === rules.key && !isAllPaid);

/** Whether the new session takes over the open items. */
export const carrySwitch = (openItems, rules, choice) => openItems !== null
  && carryHindrance(openItems, rules, choice.currency) === null && wantedCarry(openItems, rules, choice);

/**
 * The card with the open items and the switch that sets `choice.carry`. `choice` also has what
 * `openItemsSettled` resolves to. `day`: the earlier session's day.
 */
export function carryForwardCard(openItems, group, rules, choice, day) {
  const hindrance = carryHindrance(openItems, rules, choice.currency);
  const groupSession = group.sessions.find(({ session }) => session === openItems.session);
  return h('section', { class: 'callout', 'data-key': 'carry-card' },
    h('h2', {}, t('carry_forward.title', { when: day })),
    openItemsLines(openItems, [...group.members, ...choice.guests]),
    choice.isTogether && togetherNote(group),
    hindrance === null
      ? h('label', { class: 'toggle' },
        h('span', {}, h('b', {}, t('carry_forward.on')),
          h('small', { class: 'muted' }, t('carry_forward.on_what'))),
        h('input', { type: 'checkbox', role: 'switch', checked: wantedCarry(openItems, rules, choice),
          'data-key': 'carry', onchange: (event) => { choice.carry = event.target.checked; } }))
      : h('p', { class: 'banner' }, t(`carry_forward.not.${hindrance}`,
        { game: gameName(openItems.game), currency: currencyName(openItems.currency) })),
    hindrance === 'open'
      && h('a', { class: 'button', href: `#/s/${openItems.session}`, 'data-key': 'to-earlier',
      onclick: openSessionOnTap(groupSession) }, t('carry_forward.to_it')));
}

/** A link to the session before or after; null if this device knows neither that session nor their group. */
export function neighbourSessionLink(sessionId, neighbourId, { key, words }) {
  const isKnown = knownSession(neighbourId) !== undefined;
  const group = groupOfSession(sessionId);
  if (!isKnown && !group) return null;
  return h('a', { class: 'text-link', href: `#/s/${neighbourId}`, 'data-key': key,
    onclick: isKnown ? null : openFromGroup(group, neighbourId) }, words);
}

/** Opens a session that is new to this device with the token from the group. */
const openFromGroup = (group, neighbourId) => async (event) => {
  event.preventDefault();
  const address = location.hash;
  try {
    const { sessions } = await getJson(groupPath(group.id));
    if (location.hash === address) await openSession(sessions.find(({ session }) => session === neighbourId));
  } catch (error) {
    if (location.hash === address) warnOfError(error);
  }
};

const FIRST_EVENTS = 100; // enough: brought_forward follows the joining of the players it concerns

/** Resolves to the event that carried money into this session. It never changes, so one fetch is enough. */
export async function fetchCarriedForward(id) {
  const { events } = await getJson(sessionPath(id, `/events?after=0&limit=${FIRST_EVENTS}`));
  return events.find(({ type }) => type === 'brought_forward');
}

/** That event as a row of the history, beneath the first deal. */
export function carriedForwardNote(state, { data: { session: earlierSession, pot, bets, balances } }) {
  const openBets = bets.map(({ by: owners, each: share }) => ({ amount: owners.length * share }));
  const openItems = { currency: state.currency, pot, balances, bets: openBets };
  return h('li', { class: 'row carried-items', 'data-key': 'along' },
    h('b', {}, t('carry_forward.along')), openItemsLines(openItems, state.players),
    neighbourSessionLink(state.id, earlierSession, { key: 'to-before', words: t('carry_forward.to_it') }));
}

/**
 * Resolves to the group of this session if its members have settled together since, so that the session's own
 * plan is not all there is; else null.
 */
export async function groupSettlingTogether(session) {
  const group = groupOfSession(session.id);
  if (!group) return null;
  const [openBalances, { sessions }] = await Promise.all([
    getJson(groupPath(group.id, '/open-balances')), getJson(groupPath(group.id))]);
  const balances = balancesIn(session.currency, openBalances);
  return isSettledTogether(balances, sessions, session.id) ? group : null;
}

const balancesIn = (currency, { currencies }) =>
  currencies.find((open) => open.currency === currency)?.balances ?? [];

/**
 * Whether members have settled balances over several evenings since this session, or the first session whose
 * balances it has, was opened.
 */
function isSettledTogether(balances, sessions, id) {
  const parts = balances.flatMap((balance) => balance.parts);
  const { created_at: openedAt } = firstCarried(sessions, id);
  return parts.some(({ session }) => session === id)
    && parts.some(({ source, at }) => source !== 'evening' && source !== 'import' && at > openedAt);
}

/**
 * Resolves to what the group has settled of its open items: `isTogether`, whether members have settled over
 * several evenings since; `isAllPaid`, whether nothing is left, on the table or to be paid; `guests`, the
 * players of the evening who are no members. To {} if the group has no open items.
 */
export async function openItemsSettled({ id, sessions, carry_forward: openItems }) {
  if (openItems === null) return {};
  const balances = balancesIn(openItems.currency, await getJson(groupPath(id, '/open-balances')));
  return {
    isTogether: isSettledTogether(balances, sessions, openItems.session),
    // a bet that is paid once somebody wins it is in nobody's balance
    isAllPaid: openItems.pot === 0 && openItems.bets.length === 0
      && balances.every(({ amount }) => amount === 0),
    guests: guestsOf(openItems, balances),
  };
}

/** The players of an evening who are no members and have a balance, by the ids that they have in it. */
const guestsOf = ({ number }, balances) => balances
  .filter(({ id, is_member: isMember }) => !isMember && id.startsWith(`e${number}.`))
  .map(({ id, name }) => ({ id: id.split('.')[1], name }));

/** Says that the amounts of an evening are not all there is, with a link to what the group has settled. */
export const togetherNote = ({ id, name }) => h('p', { class: 'banner' },
  t('open_balances.together', { name }), ' ',
  h('a', { class: 'text-link', href: `#/c/${id}/balances`, 'data-key': 'to-balances' },
    t('open_balances.title')));

/** The session from which balances were carried forward, perhaps through others, into this one; or itself. */
function firstCarried(sessions, id) {
  const earlier = sessions.find(({ carried_to: nextSession }) => nextSession === id);
  return earlier ? firstCarried(sessions, earlier.session) : sessions.find(({ session }) => session === id);
}
