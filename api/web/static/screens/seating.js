// Between deals: who sits, in which order, and who deals next.

import { roleInSession } from '../core/device_storage.js';
import { Problem } from '../core/request_errors.js';
import { currentSession, playerName, sessionState } from '../core/session_store.js';
import { recordActions, refreshSession, writeToSession } from '../core/session_sync.js';
import { listNames, sessionMoneyWriter, t } from '../core/translator.js';
import { isPointGame } from '../domain/amounts.js';
import { fetchRulebook } from '../features/session_setup.js';
import { syncStatus, tableLink, unsentNote } from '../features/sync_status.js';
import { h } from '../ui/elements.js';
import { fieldset, newcomerField, pillGroup } from '../ui/fields.js';
import { actionButton, announce, iconButton, leaveForm, showRefusal, showScreen,
  showWarning } from '../ui/page.js';
import { isSameName, playerLabel } from '../ui/player_tokens.js';

export async function seatingScreen({ game, home, isCurrent }) {
  // Point games keep their seats to the end.
  if (isPointGame(currentSession())) { location.replace(home); return null; }
  const games = await fetchRulebook();
  const { min: fewest, max: maxPlayers } = games.find(({ key }) => key === game.key).players;
  if (!isCurrent()) return null;
  let seatsBefore = currentSession().seats.join();
  const view = { seats: [...currentSession().seats], dealer: null, sending: false };
  const sendingStatus = () => {
    const { waiting, isOutOfReach } = sessionState();
    return [view.sending || waiting.length > 0, view.sending && isOutOfReach].join();
  };
  let drawnStatus = '';
  const newcomer = newcomerField({ key: 'newcomer', label: t('seating.new'),
    add: (name) => addPlayer(name, view, maxPlayers, draw, isCurrent) });
  const reseat = (change) => {
    change();
    draw();
    announce(listNames(view.seats.map(playerName)));
  };
  const draw = (fresh = false) => {
    const state = currentSession();
    const hasUnsentWrites = view.sending || sessionState().waiting.length > 0;
    drawnStatus = sendingStatus();
    const absentPlayers = state.players.filter(({ id }) => !view.seats.includes(id));
    showScreen({
      title: t('menu.players'), backHref: home, fresh, headerEnd: syncStatus(),
      main: hasUnsentWrites ? [unsentNote(view.sending)] : [
        state.deal.phase !== 'waiting' && h('p', { class: 'banner' }, t('seating.between')),
        fieldset(t('seating.sit'), null, h('p', { class: 'muted' }, t('opening.clockwise')),
          h('ol', { class: 'rows' }, view.seats.map((id, index) =>
            h('li', { class: 'row' }, playerLabel(state, id), h('span', { class: 'row-buttons' },
              iconButton(`up-${id}`, 'up', t('opening.up', { name: playerName(id) }),
                () => reseat(() => swapSeats(view.seats, index)), index === 0),
              iconButton(`away-${id}`, 'cross', t('seating.leave', { name: playerName(id) }),
                () => reseat(() => {
                  view.seats.splice(index, 1);
                  if (view.dealer === id) view.dealer = null;
                }),
                view.seats.length <= fewest))))),
          view.seats.length <= fewest && h('p', { class: 'muted' }, t('opening.too_few', { count: fewest }))),
        absentPlayers.length > 0 && fieldset(t('seating.away'), null,
          h('ul', { class: 'rows' }, absentPlayers.map(({ id }) =>
          h('li', { class: 'row' }, playerLabel(state, id),
            h('b', {}, sessionMoneyWriter(state).signed(state.balances[id])),
            iconButton(`in-${id}`, 'plus', t('seating.join', { name: playerName(id) }),
              () => reseat(() => view.seats.push(id)), view.seats.length >= maxPlayers))))),
        fieldset(t('seating.new'), null, newcomer.node),
        fieldset(t('seating.dealer'), null, pillGroup('dealer',
          [[null, t('seating.turn')], ...view.seats.map((id) => [id, playerName(id)])], view.dealer,
          (id) => { view.dealer = id; })),
        roleInSession(state.id) === 'host'
          && h('p', { class: 'link-pair' },
          h('a', { class: 'text-link', href: `${home}/share/names`, 'data-key': 'names' },
            t('seating.names')),
          h('a', { class: 'text-link', href: `${home}/share/forget`, 'data-key': 'forget' },
            t('erasure.title'))),
      ],
      bar: hasUnsentWrites ? [tableLink(home, view.sending)]
        : [actionButton('sit', t('seating.save'), async () => {
          if (await newcomer.addTyped() && isCurrent()) await saveSeating(view, home, draw, isCurrent);
        }, { primary: true })],
    });
  };
  draw(true);
  return {
    update({ seats }) { // the order being tapped stays until another device changes the seats
      if (!isCurrent()) return;
      const areSeatsChanged = !view.sending && seats.join() !== seatsBefore;
      if (areSeatsChanged) {
        seatsBefore = seats.join();
        Object.assign(view, { seats: [...seats], dealer: null });
        showWarning(t('presence.seated'));
      }
      if (areSeatsChanged || drawnStatus !== sendingStatus()) draw();
    },
  };
}

const swapSeats = (list, index) => list.splice(index - 1, 0, ...list.splice(index, 1));

/**
 * Adds a player, who gets an id from the server at once and sits down with the button below. Resolves to
 * whether the server has accepted the player.
 */
async function addPlayer(name, view, maxPlayers, draw, isCurrent) {
  const { players } = currentSession();
  if (players.some((player) => isSameName(player.name, name))) {
    showWarning(t('opening.same_name'));
    return false;
  }
  const focused = document.activeElement;
  view.sending = true;
  draw();
  try {
    await writeToSession('/players', { name }, { note: { what: name } });
    await refreshSession();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    view.sending = false;
    await refreshSession();
    if (isCurrent()) { draw(); focused.focus(); }
    showWarning(error.errors[0]?.detail ?? error.message);
    return false;
  }
  view.sending = false;
  if (!isCurrent()) return true;
  const newcomer = currentSession().players.find(({ id }) => !players.some((player) => player.id === id));
  if (newcomer && view.seats.length < maxPlayers) view.seats.push(newcomer.id);
  draw();
  focused.focus();
  announce(t('seating.joined', { name }));
  return true;
}

async function saveSeating(view, home, draw, isCurrent) {
  if (view.sending) return;
  const isUnchanged = view.dealer === null && view.seats.join() === currentSession().seats.join();
  view.sending = true; // also while the browser goes back, or a second tap would lead one step further
  if (!isUnchanged) draw();
  try {
    if (!isUnchanged) await recordActions([{ type: 'reseat', players: view.seats,
      ...(view.dealer ? { dealer: view.dealer } : {}) }], { what: t('menu.players') });
    if (isCurrent()) leaveForm(home);
  } catch (error) {
    await showRefusal(error, () => {
      view.sending = false;
      if (isCurrent()) draw();
    });
  }
}
