// A circle: who is of it, what its evenings brought each, and the way to the next one.

import { at, into, watch } from '../../features/groups/group_client.js';
import { lyingOver } from '../../features/groups/carry_forward.js';
import { brought, member } from '../../features/groups/member_tokens.js';
import { h } from '../../ui/elements.js';
import { rememberCircle, roleIn } from '../../core/device_storage.js';
import { writer } from '../../core/money_format.js';
import { act, go, show } from '../../ui/page.js';
import { get } from '../../core/api_client.js';
import { shortDate, t } from '../../core/translator.js';
import { gameNamed } from '../../domain/games.js';

const LATEST = 12; // evenings at first

export async function circle({ id, circle: found, home, still }) {
  const season = () => get(at(id, '/standings'));
  let shown = LATEST;
  const draw = ({ name, members, evenings, to_carry: over }, nights, fresh = false) => show({
    title: name, back: '#/', fresh,
    main: [
      h('ul', { class: 'company', 'aria-label': t('circle.members') }, members.map((one) => h('li', {}, member(members, one.id)))),
      over?.ready && h('section', { class: 'offer' }, h('h2', {}, t('carry.title', { when: whenOf(evenings, over.session) })), lyingOver(over, members)),
      h('nav', { class: 'pair', 'aria-label': t('circle.more') },
        go('members', t('circle.members'), `${home}/members`),
        evenings.length > 0 && go('statement', t('menu.statement'), `${home}/statement`),
        role === 'host' && go('share', t('menu.share'), `${home}/share`)),
      h('section', {}, h('h2', {}, t('circle.evenings')), evenings.length === 0
        ? h('p', { class: 'empty' }, t('circle.no_evenings'))
        : h('ol', { class: 'rows', reversed: true }, evenings.toReversed().slice(0, shown).map((one) =>
          night(one, nights.find(({ session }) => session === one.session), members))),
      evenings.length > shown && act('older', t('circle.older'), () => { shown = Infinity; draw(...latest); })),
    ],
    bar: [
      evenings.length > 0 && go('season', t('season.title'), `${home}/season`),
      role !== 'viewer' && go('tonight', t('circle.tonight'), `${home}/tonight`, { big: true }),
    ],
  });
  let latest = [found, (await season()).evenings];
  if (!still()) return null;
  const role = roleIn(id);
  draw(...latest, true);
  watch(at(id), found, still, async (news) => {
    latest = [news, (await season()).evenings];
    rememberCircle(news);
    if (still()) draw(...latest);
  });
  return {};
}

export const whenOf = (evenings, session) => shortDate(evenings.find((one) => one.session === session).begun_at);

/** An evening as a line: when, what, who came out how, and whether it is over. */
function night(evening, told, members) {
  const { session, title, game, status, deals, number } = evening;
  const amounts = told?.results ?? {};
  const moved = Object.values(amounts).some((amount) => amount !== 0);
  const state = evening.carried_to ? 'on' : status;
  return h('li', { class: 'row' }, h('a', { class: 'row-link night', href: `#/s/${session}`, 'data-key': `evening-${number}`, onclick: into(evening) },
    h('span', { class: 'row-name' },
      h('span', { class: 'when' }, h('bdi', {}, title || t('start.untitled')), h('span', { class: 'dim' }, shortDate(evening.begun_at))),
      h('span', { class: 'dim by' }, `${gameNamed(game)} · ${t('circle.deals', { count: deals })}`)),
    h('span', { class: state === 'open' ? 'tag first' : 'tag' }, t(`circle.status.${state}`)),
    moved && brought(members, amounts, writer(evening.currency, Object.values(amounts)))));
}
