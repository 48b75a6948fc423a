// An evening that was opened by itself becomes one of a circle's: a new circle of its players, or a known one.
// Who is which member is shown before it is done, so that a person can say otherwise.

import { h } from '../../ui/elements.js';
import { dressed } from '../../core/stylesheets.js';
import { erased } from '../../core/erased.js';
import { evening } from '../../core/session_store.js';
import { fieldset, pills, wrong } from '../../ui/fields.js';
import { circleOf, circles, rememberCircle, roleIn } from '../../core/device_storage.js';
import { act, go, show, warn } from '../../ui/page.js';
import { person, same } from '../../ui/player_tokens.js';
import { get, session } from '../../core/api_client.js';
import { t } from '../../core/translator.js';
import { at, keyed, letIn, told, write } from '../../features/groups/group_client.js';

const NEW = 'new';
const NOBODY = 'nobody';

export async function joining({ id, home, argument, still }) {
  const again = argument === 'again'; // the same people play on, and what was left open goes along
  await dressed('circle');
  if (!still()) return null;
  const ours = circleOf(id);
  if (ours && again) { location.replace(`#/c/${ours.id}/tonight`); return null; }
  if (ours) return already(ours, home);
  const known = circles().filter((one) => roleIn(one.id) !== 'viewer');
  const wish = { circle: NEW, name: '', members: [], who: {} };
  const key = keyed();
  const form = h('form', { id: 'opening', novalidate: true, oninput: () => wrong(form), onsubmit: (event) => { event.preventDefault(); join(id, wish, form, key, again); } });

  const pick = async (circle) => {
    try {
      wish.members = circle === NEW ? [] : (await get(at(circle))).members.filter((one) => !erased(one));
      wish.circle = circle;
      wish.who = Object.fromEntries(evening().players.map((one) => [one.id, likely(one, wish)]));
    } catch (trouble) {
      told(trouble);
    }
    if (still()) draw();
  };

  const draw = () => {
    form.replaceChildren(...[
      h('p', { class: again ? 'lead' : 'dim' }, t(again ? 'join.again' : 'start.no_circle')),
      known.length > 0 && fieldset(t('join.which'), null, pills('circle', [[NEW, t('start.found')], ...known.map((one) => [one.id, one.name])], wish.circle, pick)),
      wish.circle === NEW ? named(wish) : matched(wish),
    ].flat().filter(Boolean));
    form.querySelector('[name=circle]:checked')?.focus();
  };
  await pick(NEW);
  if (!still()) return null;
  show({
    title: t(again ? 'menu.again' : 'menu.circle'), back: home, fresh: true, main: [form],
    bar: [act('join', t('join.save'), () => form.requestSubmit(), { big: true })],
  });
  return {};
}

function already(ours, home) {
  show({
    title: t('menu.circle'), back: home, fresh: true,
    main: [h('p', { class: 'lead' }, t('join.already', { name: ours.name }))],
    bar: [go('to-circle', t('join.to_circle'), `#/c/${ours.id}`, { big: true })],
  });
  return {};
}

const likely = (player, { circle, members }) => {
  if (erased(player)) return NOBODY;
  return circle === NEW ? NEW : members.find(({ name }) => same(name, player.name))?.id ?? NEW;
};

const named = (wish) => [
  h('label', { class: 'field' }, h('span', {}, t('circle.name')),
    h('input', { type: 'text', name: 'name', maxlength: 40, value: wish.name, placeholder: t('circle.name_example'), 'data-pointer': '/name', 'data-key': 'circle-name',
      oninput: (event) => { wish.name = event.target.value; } })),
  fieldset(t('circle.members'), null, h('p', { class: 'dim' }, t('join.players')),
    h('ul', { class: 'rows' }, evening().players.filter((one) => !erased(one)).map(({ id }) => h('li', { class: 'row' }, person(evening(), id))))),
];

/** A row for each player: which member he is, somebody new, or nobody in the circle. */
const matched = (wish) => fieldset(t('join.who'), null, h('ul', { class: 'rows', 'data-pointer': '/members' }, evening().players.map((player) =>
  h('li', { class: 'row' }, h('label', { class: 'matched' }, person(evening(), player.id),
    h('select', { 'data-key': `is-${player.id}`, onchange: (event) => { wish.who[player.id] = event.target.value; } },
      [...wish.members.map((one) => [one.id, one.name]), ...(erased(player) ? [] : [[NEW, t('join.new')]]), [NOBODY, t('join.nobody')]]
        .map(([value, words]) => h('option', { value, selected: wish.who[player.id] === value }, words))))))));

async function join(id, wish, form, key, again) {
  wrong(form);
  const here = location.hash;
  const { players } = evening();
  const chosen = Object.values(wish.who).filter((one) => one !== NEW && one !== NOBODY);
  if (wish.circle === NEW && wish.name.trim() === '') { wrong(form, '/name', t('circle.nameless')); return; }
  if (new Set(chosen).size < chosen.length) { wrong(form, '/members', t('join.twice')); return; }
  try {
    const { links, circle: of } = await get(session(id, '/links'));
    if (of) { warn(t('join.of_another')); return; }
    const token = links.find(({ role }) => role === 'host').path.split('/').at(-1);
    const [circle, members] = wish.circle === NEW ? await founded(wish, players, key) : [wish.circle, await enrolled(wish, players)];
    rememberCircle(await write(at(circle, `/evenings/${id}`), { token, members }, { method: 'PUT' }));
    if (location.hash === here) location.hash = `#/c/${circle}${again ? '/tonight' : ''}`;
  } catch (trouble) {
    told(trouble);
  }
}

/** A new circle of everybody who has a name; its members come in the order in which they were sent. */
async function founded({ name }, players, key) {
  const all = players.filter((one) => !erased(one));
  const body = { name: name.trim(), members: all.map((one) => ({ name: one.name })) };
  const made = await write('/v1/circles', body, { key: key(body) });
  await letIn(made.id, made.tokens.host);
  return [made.id, Object.fromEntries(all.map((one, place) => [one.id, made.members[place].id]))];
}

/** Who is which member; whoever is new becomes one first, and is then known by his id if this is tried again. */
async function enrolled(wish, players) {
  for (const { id, name } of players) {
    if (wish.who[id] === NEW) wish.who[id] = (await write(at(wish.circle, '/members'), { name })).id;
  }
  return Object.fromEntries(Object.entries(wish.who).filter(([, one]) => one !== NOBODY));
}
