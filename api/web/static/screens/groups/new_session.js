// A new session of the group: like any other, but with members as players, seated by taps, and with the open
// items of the last one.

import { getJson } from '../../core/api_client.js';
import { rememberGroup, typedEntry } from '../../core/device_storage.js';
import { isNameErased, t, weekdayName } from '../../core/translator.js';
import { seatsFrom } from '../../domain/deal.js';
import { loadedGame } from '../../domain/games.js';
import { keyPerRequest, sendWrite, warnOfError } from '../../features/direct_requests.js';
import { carryForwardCard, carrySwitch, openItemsSettled } from '../../features/groups/carry_forward.js';
import { fetchGroupSession, groupPath, openSession } from '../../features/groups/group_client.js';
import { dealerChoice, partnerNote } from '../../features/session_setup.js';
import { buildElement, h, hiddenText, icon } from '../../ui/elements.js';
import { fieldError, fieldset, newcomerField } from '../../ui/fields.js';
import { announce, clearWarning, refillPart, showWarning } from '../../ui/page.js';
import { hueClass, isSameName, memberIndex, memberName, memberToken } from '../../ui/player_tokens.js';
import { openingScreen } from '../opening.js';
import { sessionDay } from './group.js';

const mayPlay = (member) => !member.has_left && !isNameErased(member);

/**
 * Edits `table`: {members, seats, newcomer, dealer(), choose(dealer), last}, where `seats` and `last` are
 * member ids in seating order. `guest(name)` adds a member and resolves to the id, or null.
 */
function memberSeats(table, { key, players: { max } }, guest) {
  const { pairs } = loadedGame(key);
  const { members } = table;
  const memberList = buildElement(h('ul', { class: 'plates', 'data-pointer': '/members' }));
  const opposite = buildElement(h('div', { class: 'facing' }));
  const dealerPart = buildElement(h('div', {}));

  const toggle = (id) => {
    const place = table.seats.indexOf(id);
    if (place >= 0) table.seats.splice(place, 1);
    else table.seats.push(id);
    draw();
  };

  const draw = () => {
    const full = table.seats.length >= max;
    const named = table.seats.map((id) => [id, memberName(members, id)]);
    refillPart(memberList, members.filter(mayPlay).map(({ id, name }) => {
      const place = table.seats.indexOf(id);
      const memberButton = h('button', {
        type: 'button', class: `plate ${hueClass(memberIndex(members, id))}`, 'data-key': `sit-${id}`,
        'data-member': id, 'aria-pressed': String(place >= 0),
        disabled: place < 0 && full, onclick: () => toggle(id),
      }, memberToken(members, id), h('bdi', { class: 'name' }, name),
      place >= 0 && h('span', { class: 'dealer' },
        hiddenText(t('opening.seat_short', { number: '' })), place + 1));
      return h('li', {}, memberButton);
    }));
    if (pairs) {
      const hueAt = (place) => memberIndex(members, table.seats[place]);
      refillPart(opposite, partnerNote(pairs, named.map(([, name]) => name), hueAt));
    }
    refillPart(dealerPart, dealerChoice(named, table.dealer(), table.choose, t('group.seats_first')));
  };

  const lastSeats = table.last.slice(0, max);
  const lastNames = lastSeats.map((id) => memberName(members, id)).join(', ');
  const sitAsLast = () => { table.seats.splice(0, Infinity, ...lastSeats); draw(); };
  const addGuest = async (name) => {
    const id = await guest(name);
    if (id !== null && table.seats.length < max) table.seats.push(id);
    draw();
    memberList.dispatchEvent(new Event('change', { bubbles: true })); // the form keeps the seats
    return id !== null;
  };
  table.newcomer = newcomerField({ key: 'guest', label: t('group.guest'), placeholder: t('group.guest'),
    add: addGuest });
  draw();
  return [
    fieldset(t('opening.players'), null,
      h('p', { class: 'muted' }, t('group.tap_seats')),
      lastSeats.length > 0 && h('button', {
        type: 'button', class: 'button secondary same-as-last', 'data-key': 'as-last', onclick: sitAsLast,
      }, icon('undo'), h('span', {}, t('group.as_last', { names: lastNames }))),
      memberList,
      table.newcomer.node,
      pairs && [h('p', { class: 'muted' }, t('opening.pairs')), opposite]),
    fieldset(t('opening.dealer'), null, dealerPart),
  ];
}

export async function newGroupSessionScreen({ id, group, home, isCurrent }) {
  const latest = group.sessions.at(-1);
  const earlierState = latest ? await fetchGroupSession(latest) : null;
  const carryChoice = { carry: null, ...await openItemsSettled(group) };
  if (!isCurrent()) return null;
  return openingScreen({ isCurrent, backHref: home,
    playerSource: memberPlayers(id, group, latest, earlierState, carryChoice) });
}

/** The players as members of the group, in the form that the screen of a new session uses. */
function memberPlayers(id, group, latest, earlierState, carryChoice) {
  const { members, carry_forward: openItems } = group;
  const knownIds = new Set(members.filter(mayPlay).map((member) => member.id));
  const lastSeats = (earlierState?.seats ?? []).map((player) => latest.members[player])
    .filter((member) => knownIds.has(member));
  const formKey = `evening.${id}`;
  const typed = typedEntry(formKey, { players: { seats: [''] } })?.players;
  const table = { members, seats: (typed?.seats ?? []).filter((member) => knownIds.has(member)),
    chosen: typed?.dealer ?? null, last: lastSeats,
    choose: (dealer) => { table.chosen = dealer; } };
  table.dealer = () => (table.seats.includes(table.chosen) ? table.chosen
    : firstDealer(earlierState, latest, table.seats));
  const card = buildElement(h('div', {}));

  const key = keyPerRequest();
  const guest = async (name) => {
    clearWarning();
    const knownMember = members.filter(mayPlay).find((member) => isSameName(member.name, name));
    if (knownMember && !table.seats.includes(knownMember.id)) return knownMember.id;
    if (knownMember) {
      showWarning(t('opening.same_name'));
      return null;
    }
    try {
      const created = await sendWrite(groupPath(id, '/members'), { name }, { key: key(name) });
      members.push(created);
      announce(t('seating.joined', { name }));
      return created.id;
    } catch (error) {
      warnOfError(error);
      return null;
    }
  };

  const drawCard = (setup, rules) => {
    if (!openItems) return;
    carryChoice.currency = setup.currency;
    refillPart(card, carryForwardCard(openItems, group, rules, carryChoice,
      sessionDay(group.sessions, openItems.session)));
  };

  return {
    formKey,
    typedPart: () => ({ seats: table.seats, dealer: table.chosen }),
    title: weekdayName(),
    storedSetup: earlierState && { game: earlierState.game, currency: earlierState.currency,
      options: { [earlierState.game]: { currency: earlierState.currency, values: earlierState.options } } },
    playerFields: (setup, rules) => memberSeats(table, rules, guest),
    carryCard: (setup, rules) => { drawCard(setup, rules); return card; },
    onCurrencyChange: drawCard,
    onOpened: (state) => rememberGroup({ ...group, sessions: [...group.sessions, { session: state.id }] }),
    /** Opens the session that another device has just opened; resolves to whether there is one. */
    async onRefused({ code, body }) {
      if (code !== 'session_is_open' || body.session === openItems?.session) return false;
      const reloaded = await getJson(groupPath(id)).catch(() => group);
      const opened = reloaded.sessions.find(({ session }) => session === body.session);
      if (opened) await openSession(opened);
      return opened !== undefined;
    },
    async readPlayers(setup, rules, form) {
      const { min } = rules.players;
      if (!await table.newcomer.addTyped()) return null;
      if (table.seats.length < min) {
        fieldError(form, '/members', t('opening.too_few', { count: min }));
        form.querySelector('.plates').scrollIntoView({ block: 'center' });
        return null;
      }
      return {
        path: groupPath(id, '/sessions'),
        body: { members: table.seats, first_dealer: table.dealer(),
          carry: carrySwitch(openItems, rules, { ...carryChoice, currency: setup.currency }) },
        fieldPointer: (pointer) => pointer.replace(/^\/members\/.*/, '/members'),
      };
    },
  };
}

/** The member who would have dealt next in the earlier session, or the first one after who sits here. */
function firstDealer(earlierState, latest, seated) {
  const round = earlierState ? seatsFrom(earlierState.deal.dealer, earlierState.seats)
    .map((player) => latest.members[player]) : [];
  return round.find((member) => seated.includes(member)) ?? seated[0];
}
