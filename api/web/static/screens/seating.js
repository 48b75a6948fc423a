// People come and go between deals: who sits, in which order, and who deals next.

import { pins } from '../features/access/door_pins.js';
import { h, icon } from '../ui/elements.js';
import { act as record, evening, nameOf, refresh, write } from '../core/session_store.js';
import { fieldset, pills } from '../ui/fields.js';
import { held } from '../features/held.js';
import { roleIn } from '../core/device_storage.js';
import { writerOf } from '../core/money_format.js';
import { act, say, show, warn } from '../ui/page.js';
import { person, same } from '../ui/player_tokens.js';
import { forPoints } from '../domain/points.js';
import { outOfReach, unsent } from '../core/sync_queue.js';
import { rulebook } from '../core/rulebook.js';
import { Problem } from '../core/api_client.js';
import { meanwhile, sync } from '../features/sync_status.js';
import { speakAlso, t } from '../core/translator.js';

export async function seating({ id, game, home, still }) {
  if (forPoints(evening())) { location.replace(home); return null; } // who sits there sits until it is over
  const [{ players: { min: fewest, max: most } }, secrets] = await Promise.all([
    rulebook().then((all) => all.find(({ key }) => key === game.key)), pins(id).catch(() => null), speakAlso('beside.')]);
  if (!still()) return null;
  const state = evening();
  let from = state.seats.join();
  const wish = { seats: [...state.seats], dealer: null, name: '', sending: false };
  const way = () => [wish.sending || unsent(id).length > 0, wish.sending && outOfReach()].join();
  let drawn = '';
  const draw = (fresh = false) => {
    const now = evening();
    const blind = wish.sending || unsent(id).length > 0;
    drawn = way();
    const away = now.players.filter(({ id }) => !wish.seats.includes(id));
    show({
      title: t('menu.players'), back: home, fresh, aside: sync(),
      main: blind ? [held(wish.sending)] : [
        now.deal.phase !== 'waiting' && h('p', { class: 'banner' }, t('seating.between')),
        fieldset(t('seating.sit'), null, h('p', { class: 'dim' }, t('opening.clockwise')),
          h('ol', { class: 'rows' }, wish.seats.map((id, index) => h('li', { class: 'row' }, person(now, id),
            round('up', `up-${id}`, t('opening.up', { name: nameOf(id) }), index === 0, () => { swap(wish.seats, index); draw(); }),
            round('cross', `away-${id}`, t('seating.leave', { name: nameOf(id) }), wish.seats.length <= fewest,
              () => { wish.seats.splice(index, 1); if (wish.dealer === id) wish.dealer = null; draw(); })))),
          wish.seats.length <= fewest && h('p', { class: 'dim' }, t('opening.too_few', { count: fewest }))),
        away.length > 0 && fieldset(t('seating.away'), null, h('ul', { class: 'rows' }, away.map(({ id }) =>
          h('li', { class: 'row' }, person(now, id), h('b', {}, writerOf(now).signed(now.balances[id])),
            round('plus', `in-${id}`, t('seating.join', { name: nameOf(id) }), wish.seats.length >= most,
              () => { wish.seats.push(id); draw(); }))))),
        fieldset(t('seating.new'), null, newcomer(wish, most, draw, still)),
        fieldset(t('seating.dealer'), null, pills('dealer',
          [[null, t('seating.turn')], ...wish.seats.map((id) => [id, nameOf(id)])], wish.dealer, (id) => { wish.dealer = id; })),
        secrets?.node,
        roleIn(now.id) === 'host' && h('p', {}, h('a', { class: 'link', href: `${home}/share/names`, 'data-key': 'names' }, t('seating.names')), ' · ', h('a', { class: 'link', href: `${home}/share/forget`, 'data-key': 'forget' }, t('forget.title'))),
      ],
      bar: blind ? [meanwhile(home, wish.sending)] : [act('sit', t('seating.save'), () => save(wish, home, draw, still), { big: true })],
    });
  };
  draw(true);
  return {
    update({ seats }) { // who is being seated here stays as tapped, until somebody else has seated them
      if (!still()) return;
      const moved = !wish.sending && seats.join() !== from;
      if (moved) {
        from = seats.join();
        Object.assign(wish, { seats: [...seats], dealer: null });
        warn(t('beside.seated'));
      }
      if (moved || drawn !== way()) draw();
    },
  };
}

const round = (mark, key, words, disabled, onclick) =>
  h('button', { type: 'button', class: 'round', 'data-key': key, 'aria-label': words, disabled, onclick }, icon(mark));

const swap = (list, index) => list.splice(index - 1, 0, ...list.splice(index, 1));

// A newcomer gets an id from the server at once; he sits down with the button below, like everybody.
function newcomer(wish, most, draw, still) {
  const add = async () => {
    const name = wish.name.trim();
    if (name === '') return;
    if (evening().players.some((player) => same(player.name, name))) { warn(t('opening.same_name')); return; }
    wish.sending = true;
    draw();
    try {
      const known = new Set(evening().players.map(({ id }) => id));
      await write('/players', { name }, { note: { what: name } });
      await refresh();
      const id = evening().players.map((player) => player.id).find((one) => !known.has(one));
      if (id && wish.seats.length < most) wish.seats.push(id);
      Object.assign(wish, { name: '', sending: false });
      if (!still()) return;
      draw();
      say(t('seating.joined', { name }));
    } catch (trouble) {
      if (!(trouble instanceof Problem)) throw trouble;
      wish.sending = false;
      await refresh();
      if (still()) draw();
      warn(trouble.errors[0]?.detail ?? trouble.message);
    }
  };
  return h('div', { class: 'copying' },
    h('input', { type: 'text', maxlength: 40, value: wish.name, autocapitalize: 'words', autocomplete: 'off', 'data-key': 'newcomer',
      placeholder: t('opening.name'), 'aria-label': t('seating.new'), oninput: (event) => { wish.name = event.target.value; },
      onkeydown: (event) => { if (event.key === 'Enter') add(); } }),
    act('newcomer-add', t('seating.add'), add));
}

async function save(wish, home, draw, still) {
  const same = wish.dealer === null && wish.seats.join() === evening().seats.join();
  wish.sending = !same;
  if (!same) draw();
  try {
    if (!same) await record([{ type: 'reseat', players: wish.seats, ...(wish.dealer ? { dealer: wish.dealer } : {}) }], { what: t('menu.players') });
    if (still()) location.hash = home;
  } catch (trouble) {
    if (!(trouble instanceof Problem)) throw trouble;
    wish.sending = false;
    await refresh();
    if (still()) draw();
    warn(trouble.message);
  }
}
