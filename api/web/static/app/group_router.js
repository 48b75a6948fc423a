// The screens of a group: the address says which. A link's token is exchanged for a cookie at once.

import { getJson } from '../core/api_client.js';
import { knownGroups, rememberGroup, roleInSession } from '../core/device_storage.js';
import { Problem, Unreached } from '../core/request_errors.js';
import { t } from '../core/translator.js';
import { keepsOwnAccess } from '../features/access/access_rights.js';
import { finishPendingRotation, forgetPendingRotation, groupPath,
  joinByLink } from '../features/groups/group_client.js';
import { groupScreen, newGroupScreen } from '../screens/groups/group.js';
import { groupLinksScreen, groupMembersScreen } from '../screens/groups/members.js';
import { newGroupSessionScreen } from '../screens/groups/new_session.js';
import { headToHeadScreen, seasonScreen } from '../screens/groups/season.js';
import { h } from '../ui/elements.js';
import { actionLink, showScreen } from '../ui/page.js';

const GROUP_SCREENS = {
  '': groupScreen, tonight: newGroupSessionScreen, season: seasonScreen, 'head-to-head': headToHeadScreen,
  members: groupMembersScreen, share: groupLinksScreen,
  // Modules of their own: few people need them.
  statement: (context) => import('../screens/statement.js')
    .then((file) => file.groupStatementScreen(context)),
  imports: (context) => import('../screens/groups/imports.js').then((file) => file.importsScreen(context)),
  balances: (context) => import('../screens/groups/open_balances.js')
    .then((file) => file.openBalancesScreen(context)),
  leave: (context) => import('../screens/groups/departure.js')
    .then((file) => file.departureScreen(context)),
  'bank-lines': (context) => import('../screens/groups/bank_lines.js')
    .then((file) => file.bankLinesScreen(context)),
  check: (context) => import('../screens/check.js').then((file) => file.groupCheckScreen(context)),
};

const HOST_SCREENS = new Set(['leave', 'bank-lines']);

export async function groupScreens({ id, place, isCurrent }) {
  const address = location.hash;
  if (!id) return newGroupScreen();
  try {
    const hasToken = !Object.hasOwn(GROUP_SCREENS, place);
    const isKnown = knownGroups().some((group) => group.id === id);
    if (hasToken && !(isKnown && await keepsOwnAccess(id, place, groupPath(id)))) {
      await joinByLink(id, place).catch((error) => { // the device may have access by another link
        if (error.code !== 'unknown_group' || !isKnown) throw error;
      });
    }
    const group = await getJson(groupPath(id)).catch(async (error) => {
      if (error instanceof Problem && await finishPendingRotation(id)) return getJson(groupPath(id));
      throw error;
    });
    if (group.id !== id) throw new Unreached(id); // an answer of another server
    forgetPendingRotation(id);
    rememberGroup(group);
    if (!isCurrent() || location.hash !== address) return null; // another tap has led elsewhere
    if (hasToken) history.replaceState(null, '', `#/c/${id}`); // no screenshot shows the token
    const role = roleInSession(id);
    if ((HOST_SCREENS.has(place) && role !== 'host') || (place === 'tonight' && role === 'viewer')) {
      location.replace(`#/c/${id}`);
      return null;
    }
    const openScreen = Object.hasOwn(GROUP_SCREENS, place) ? GROUP_SCREENS[place] : groupScreen;
    return await openScreen({ id, group, home: `#/c/${id}`, isCurrent });
  } catch (error) {
    if (!(error instanceof Problem) || !isCurrent()) throw error;
    return error.code === 'unknown_group' ? groupGone() : groupRefusal(error, `#/c/${id}`);
  }
}

function groupGone() {
  showScreen({
    title: t('group.gone_title'), backHref: '#/', fresh: true,
    main: [h('p', { class: 'lead' }, t('group.gone'))],
    bar: [actionLink('home', t('load_error.home'), '#/', { primary: true })],
  });
  return {};
}

/** The group is there, but not this screen of it, for instance because it is the host's. */
function groupRefusal(error, home) {
  showScreen({
    title: error.message, backHref: home, fresh: true, main: [],
    bar: [actionLink('group', t('join_group.to_group'), home, { primary: true })],
  });
  return {};
}
