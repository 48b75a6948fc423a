// Fields that seat a group's members for a session: a tap on a name takes the next seat, clockwise, and a
// second tap leaves it.

import { isNameErased, t } from '../../core/translator.js';
import { GAMES } from '../../domain/games.js';
import { h, icon } from '../../ui/elements.js';
import { fieldset } from '../../ui/fields.js';
import { memberIndex, memberName, memberToken } from '../../ui/member_tokens.js';
import { actionButton } from '../../ui/page.js';
import { hueClass } from '../../ui/player_tokens.js';
import { dealerChoice, partnerNote } from '../session_setup.js';

/**
 * Edits `table`: {members, seats, dealer(), choose(dealer), last}, where `seats` and `last` are member ids in
 * seating order. `guest(name)` adds a member and resolves to the id, or null.
 */
export function memberSeats(table, { key, players: { max } }, guest) {
  const { pairs } = GAMES[key];
  const { members } = table;
  const plates = h('ul', { class: 'plates', 'data-pointer': '/members' });
  const opposite = h('div', { class: 'facing' });
  const firstDealer = h('div', {});

  const toggle = (id) => {
    const place = table.seats.indexOf(id);
    if (place >= 0) table.seats.splice(place, 1);
    else table.seats.push(id);
    draw(id);
  };

  const draw = (focus = null) => {
    const full = table.seats.length >= max;
    const named = table.seats.map((id) => [id, memberName(members, id)]);
    plates.replaceChildren(...members.filter((member) => !isNameErased(member)).map(({ id, name }) => {
      const place = table.seats.indexOf(id);
      const plate = h('button', {
        type: 'button', class: `plate ${hueClass(memberIndex(members, id))}`, 'data-key': `sit-${id}`,
        'data-member': id, 'aria-pressed': String(place >= 0),
        disabled: place < 0 && full, onclick: () => toggle(id),
      }, memberToken(members, id), h('bdi', { class: 'name' }, name),
      place >= 0 && h('span', { class: 'dealer' },
        h('span', { class: 'aside' }, t('opening.seat_short', { number: '' })), place + 1));
      return h('li', {}, plate);
    }));
    if (pairs) {
      const hueAt = (place) => memberIndex(members, table.seats[place]);
      opposite.replaceChildren(...partnerNote(pairs, named.map(([, name]) => name), hueAt));
    }
    firstDealer.replaceChildren(dealerChoice(named, table.dealer(), table.choose, t('circle.seats_first')));
    if (focus !== null) plates.querySelector(`[data-member="${focus}"]`)?.focus();
  };

  const lastSeats = table.last.slice(0, max);
  const lastNames = lastSeats.map((id) => memberName(members, id)).join(', ');
  const sitAsLast = () => { table.seats.splice(0, Infinity, ...lastSeats); draw(); };
  const addGuest = async (name) => {
    const id = await guest(name);
    if (id !== null && table.seats.length < max) table.seats.push(id);
    draw();
    return id !== null;
  };
  draw();
  return [
    fieldset(t('opening.players'), null,
      h('p', { class: 'dim' }, t('circle.tap_seats')),
      lastSeats.length > 0 && h('button', {
        type: 'button', class: 'button quiet as-last', 'data-key': 'as-last', onclick: sitAsLast,
      }, icon('undo'), h('span', {}, t('circle.as_last', { names: lastNames }))),
      plates, newcomerField(addGuest),
      pairs && [h('p', { class: 'dim' }, t('opening.pairs')), opposite]),
    fieldset(t('opening.dealer'), null, firstDealer),
  ];
}

/** A field for a guest's name. `add(name)` makes the guest a member, and resolves to whether it did. */
function newcomerField(add) {
  const field = h('input', {
    type: 'text', maxlength: 40, autocapitalize: 'words', autocomplete: 'off', 'data-key': 'guest',
    placeholder: t('circle.guest'), 'aria-label': t('circle.guest'),
    onkeydown: (event) => { if (event.key === 'Enter') { event.preventDefault(); join(); } },
  });
  const join = async () => {
    const name = field.value.trim();
    if (name !== '' && await add(name)) field.value = '';
  };
  return h('div', { class: 'copying' }, field, actionButton('guest-add', t('seating.add'), join));
}
