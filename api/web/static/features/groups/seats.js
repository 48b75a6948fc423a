// Members taking their seats: tapped in the order they sit, clockwise. A second tap gets somebody up again.

import { isNameErased, t } from '../../core/translator.js';
import { GAMES } from '../../domain/games.js';
import { h, icon } from '../../ui/elements.js';
import { fieldset } from '../../ui/fields.js';
import { memberIndex, memberName, memberToken } from '../../ui/member_tokens.js';
import { actionButton } from '../../ui/page.js';
import { hueClass } from '../../ui/player_tokens.js';
import { dealerChoice, partnerNote } from '../session_setup.js';

/**
 * `tonight`: {members, seats, dealer(), choose(dealer), last}, which this edits; `guest(name)` makes a new
 * member.
 */
export function memberSeats(tonight, { key, players: { max } }, guest) {
  const { pairs } = GAMES[key];
  const { members } = tonight;
  const plates = h('ul', { class: 'plates', 'data-pointer': '/members' });
  const opposite = h('div', { class: 'facing' });
  const firstDealer = h('div', {});

  const toggle = (id) => {
    const place = tonight.seats.indexOf(id);
    if (place >= 0) tonight.seats.splice(place, 1);
    else tonight.seats.push(id);
    draw(id);
  };

  const draw = (focus = null) => {
    const full = tonight.seats.length >= max;
    const named = tonight.seats.map((id) => [id, memberName(members, id)]);
    plates.replaceChildren(...members.filter((member) => !isNameErased(member)).map(({ id, name }) => {
      const place = tonight.seats.indexOf(id);
      return h('li', {}, h('button', {
        type: 'button', class: `plate ${hueClass(memberIndex(members, id))}`, 'data-key': `sit-${id}`,
        'data-member': id, 'aria-pressed': String(place >= 0),
        disabled: place < 0 && full, onclick: () => toggle(id),
      }, memberToken(members, id), h('bdi', { class: 'name' }, name),
      place >= 0 && h('span', { class: 'dealer' },
        h('span', { class: 'aside' }, t('opening.seat_short', { number: '' })), place + 1)));
    }));
    opposite.replaceChildren(...(pairs ? partnerNote(pairs, tonight.seats
      .map((id) => memberName(members, id)), (place) => memberIndex(members, tonight.seats[place])) : []));
    firstDealer.replaceChildren(dealerChoice(named, tonight.dealer(), tonight.choose,
      t('circle.seats_first')));
    if (focus !== null) plates.querySelector(`[data-member="${focus}"]`)?.focus();
  };

  const lastSeats = tonight.last.slice(0, max);
  draw();
  return [
    fieldset(t('opening.players'), null,
      h('p', { class: 'dim' }, t('circle.tap_seats')),
      lastSeats.length > 0
        && h('button', { type: 'button', class: 'button quiet as-last', 'data-key': 'as-last',
        onclick: () => { tonight.seats.splice(0, Infinity, ...lastSeats); draw(); } },
        icon('undo'),
        h('span', {},
          t('circle.as_last', { names: lastSeats.map((id) => memberName(members, id)).join(', ') }))),
      plates, newcomerField(async (name) => {
        const id = await guest(name);
        if (id !== null && tonight.seats.length < max) tonight.seats.push(id);
        draw();
        return id !== null;
      }),
      pairs && [h('p', { class: 'dim' }, t('opening.pairs')), opposite]),
    fieldset(t('opening.dealer'), null, firstDealer),
  ];
}

/** Somebody who is new tonight is of the circle from now on. */
function newcomerField(add) {
  const field =
    h('input', { type: 'text', maxlength: 40, autocapitalize: 'words', autocomplete: 'off',
    'data-key': 'guest',
    placeholder: t('circle.guest'), 'aria-label': t('circle.guest'),
    onkeydown: (event) => { if (event.key === 'Enter') { event.preventDefault(); join(); } } });
  const join = async () => {
    const name = field.value.trim();
    if (name !== '' && await add(name)) field.value = '';
  };
  return h('div', { class: 'copying' }, field, actionButton('guest-add', t('seating.add'), join));
}
