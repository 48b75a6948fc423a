// A group: its members, the results of its sessions, and the way to the next one.

import { getJson } from '../../core/api_client.js';
import { rememberGroup, roleInSession } from '../../core/device_storage.js';
import { formatDay, moneyWriter, t } from '../../core/translator.js';
import { gameName } from '../../domain/games.js';
import { openItemsCard } from '../../features/groups/carry_forward.js';
import { groupPath, openSessionOnTap, watchGroup } from '../../features/groups/group_client.js';
import { h } from '../../ui/elements.js';
import { memberLabel, sessionResult } from '../../ui/member_tokens.js';
import { actionButton, actionLink, showScreen } from '../../ui/page.js';

const LATEST_SESSIONS = 12; // rows shown at first

export async function groupScreen({ id, circle: loaded, home, isCurrent }) {
  const season = () => getJson(groupPath(id, '/standings'));
  let shownSessions = LATEST_SESSIONS;
  const draw = ({ name, members, evenings, to_carry: openItems }, nights, fresh = false) => showScreen({
    title: name, backHref: '#/', fresh,
    main: [
      h('ul', { class: 'company', 'aria-label': t('circle.members') },
        members.map((member) => h('li', {}, memberLabel(members, member.id)))),
      openItems?.ready && h('section', { class: 'offer' },
        h('h2', {}, t('carry.title', { when: sessionDay(evenings, openItems.session) })),
        openItemsCard(openItems, members)),
      h('nav', { class: 'pair', 'aria-label': t('circle.more') },
        actionLink('members', t('circle.members'), `${home}/members`),
        evenings.length > 0 && actionLink('statement', t('menu.statement'), `${home}/statement`),
        role === 'host' && actionLink('share', t('menu.share'), `${home}/share`)),
      h('section', {}, h('h2', {}, t('circle.evenings')), evenings.length === 0
        ? h('p', { class: 'empty' }, t('circle.no_evenings'))
        : h('ol', { class: 'rows', reversed: true },
          evenings.toReversed().slice(0, shownSessions).map((evening) =>
          sessionRow(evening, nights.find(({ session }) => session === evening.session), members))),
      evenings.length > shownSessions && actionButton('older', t('circle.older'),
        () => { shownSessions = Infinity; draw(...latest); })),
    ],
    bar: [
      evenings.length > 0 && actionLink('season', t('season.title'), `${home}/season`),
      role !== 'viewer' && actionLink('tonight', t('circle.tonight'), `${home}/tonight`, { big: true }),
    ],
  });
  let latest = [loaded, (await season()).evenings];
  if (!isCurrent()) return null;
  const role = roleInSession(id);
  draw(...latest, true);
  watchGroup(groupPath(id), loaded, isCurrent, async (news) => {
    latest = [news, (await season()).evenings];
    rememberGroup(news);
    if (isCurrent()) draw(...latest);
  });
  return {};
}

export const sessionDay = (evenings, session) =>
  formatDay(evenings.find((evening) => evening.session === session).begun_at);

/** A session as a row: day, game, winner, and whether it is closed. */
function sessionRow(evening, result, members) {
  const { session, title, game, status, deals, number } = evening;
  const amounts = result?.results ?? {};
  const moved = Object.values(amounts).some((amount) => amount !== 0);
  const state = evening.carried_to ? 'on' : status;
  return h('li', { class: 'row' },
    h('a', { class: 'row-link night', href: `#/s/${session}`, 'data-key': `evening-${number}`,
    onclick: openSessionOnTap(evening) },
    h('span', { class: 'row-name' },
      h('span', { class: 'when' }, h('bdi', {}, title || t('start.untitled')),
        h('span', { class: 'dim' }, formatDay(evening.begun_at))),
      h('span', { class: 'dim by' }, `${gameName(game)} · ${t('circle.deals', { count: deals })}`)),
    h('span', { class: state === 'open' ? 'tag first' : 'tag' }, t(`circle.status.${state}`)),
    moved && sessionResult(members, amounts, moneyWriter(evening.currency, Object.values(amounts)))));
}
