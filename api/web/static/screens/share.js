// Who has access: a QR code, the join requests, and the devices that are in. Folded: the join code, the links
// of each role, and names.

import { getJson, sessionPath } from '../core/api_client.js';
import { deviceInSession, roleInSession } from '../core/device_storage.js';
import { Problem } from '../core/request_errors.js';
import { currentSession } from '../core/session_store.js';
import { loadAllSentences, t } from '../core/translator.js';
import { deviceList } from '../features/access/devices.js';
import { fetchJoinCode, joinCodeSection, joinRequestAnnouncer,
  joinRequestList } from '../features/access/join_requests.js';
import { erasableNames, renamePlayers } from '../features/access/player_names.js';
import { warnOfTrouble, writeToGroup } from '../features/groups/group_client.js';
import { redrawSyncStatus, syncStatus } from '../features/sync_status.js';
import { confirmSheet } from '../ui/confirmation.js';
import { h } from '../ui/elements.js';
import { announce, showScreen } from '../ui/page.js';
import { section } from '../ui/section.js';
import { loopbackWarning, qrCode, shareLinks } from '../ui/share_controls.js';

const SHARE_POLL_MS = 2_000; // between two requests while the host looks

/** A device that only views may be a tablet on the table, so it shows the code. */
const showOnTable = (home) => h('p', {}, t('door.board'), ' ',
  h('a', { class: 'link', href: `${home}/board`, 'data-key': 'board' }, t('menu.board')));

export async function shareScreen({ id, home, argument, isCurrent }) {
  const ask = (rest) => getJson(sessionPath(id, rest));
  let loaded;
  try {
    loaded = await Promise.all([ask('/links'), fetchJoinCode(id), ask('/phones'), ask('/knocks'),
      loadAllSentences()]);
  } catch (trouble) {
    if (!(trouble instanceof Problem)) throw trouble;
    if (isCurrent())
      showScreen({ title: t('menu.share'), backHref: home, fresh: true,
      main: [h('p', { class: 'empty' }, trouble.message)] });
    return {};
  }
  if (!isCurrent()) return null;
  const [{ links: firstLinks }, opening, phones, waiting] = loaded;
  let links = firstLinks;
  const announceRequests = joinRequestAnnouncer();

  const door = joinRequestList({ id, answered: look });
  const saying = joinCodeSection({ id, address: new URL(links[0].url).host });
  const devicesView = deviceList({ id, changed: look });
  const ways =
    section(({ links: currentLinks }) => shareLinks(currentLinks, (role) => t(`role.${role}.may`),
    { more: (role) => [role === 'viewer' && showOnTable(home), ending(role)], open: [] }));
  const scan = section(({ links: currentLinks }) => [
    loopbackWarning(currentLinks),
    h('p', { class: 'lead' }, t('door.scan')),
    qrCode(currentLinks.find(({ role }) => role === 'scorer').qr,
      t('share.code', { role: t('role.scorer') })),
  ]);

  /** The host's own link is not rotated from a device that came by it: it would lose its access. */
  const ending = (role) => (role === 'host' && deviceInSession(id) === null
    ? h('p', { class: 'dim' }, t('door.own_link'))
    : h('button', { type: 'button', class: 'button quiet', 'data-key': `end-${role}`,
      onclick: () => confirmSheet({
      title: t('door.end_ask'), words: [t('door.end_what'), t('door.end_stay')], stay: t('door.end_no'),
      go: t('door.end_yes'), done: () => end(role),
    }) }, t('door.end')));

  async function end(role) {
    try {
      const news = await writeToGroup(sessionPath(id, `/links/${role}/rotation`), {});
      links = news.links;
      scan.tell({ links });
      ways.tell({ links, own: deviceInSession(id) });
      announce(t('door.ended'));
    } catch (trouble) {
      warnOfTrouble(trouble);
    }
  }

  function tell(news, list) {
    devicesView.tell({ ...news, own: deviceInSession(id) });
    scan.tell({ links });
    ways.tell({ links, own: deviceInSession(id) });
    door.tell(list);
    announceRequests(list);
  }

  /** A failure shows nothing here: the sync status in the corner tells whether the server can be reached. */
  async function look() {
    const showCode = saying.asking();
    try {
      const [news, { knocks: list }, currentPhones] =
        await Promise.all([ask('/phones'), ask('/knocks'), fetchJoinCode(id)]);
      if (!isCurrent()) return;
      tell(news, list);
      showCode(currentPhones);
    } catch { /* the next look may see more */ }
  }

  saying.asking()(opening);
  showScreen({
    title: t('menu.share'), backHref: home, headerEnd: currentSession() && syncStatus(), fresh: true,
    main: [door.node, scan.node, devicesView.node,
      h('details', { class: 'fold', open: opening.code !== null || argument !== undefined },
        h('summary', { 'data-key': 'another-way' }, t('door.another_way')),
        h('div', { class: 'part' }, saying.node, h('h2', {}, t('door.by_role')), ways.node,
          roleInSession(id) === 'host' && [renamePlayers({ open: argument === 'names' }),
            erasableNames({ home, open: argument === 'forget' })]))],
  });
  tell(phones, waiting.knocks);
  document.querySelector({ forget: '[data-key=forgetting]',
    names: '[data-key=naming]' }[argument])?.scrollIntoView();

  const keepLooking = async () => {
    if (!isCurrent()) return;
    if (!document.hidden) await look();
    setTimeout(keepLooking, SHARE_POLL_MS);
  };
  setTimeout(keepLooking, SHARE_POLL_MS);
  return { update: redrawSyncStatus };
}
