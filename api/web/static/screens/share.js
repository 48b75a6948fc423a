// Who is let in: one code to photograph, who waits, the phones that are in. Under another way: a code to say,
// links for each role, PINs, and what people are called.

import { told, write } from '../features/groups/group_client.js';
import { code } from '../features/access/join_code.js';
import { inside } from '../features/access/devices.js';
import { announcer, knocks } from '../features/access/join_requests.js';
import { naming } from '../features/access/player_names.js';
import { opened } from '../features/access/opened.js';
import { pins } from '../features/access/door_pins.js';
import { section } from '../ui/section.js';
import { sure } from '../ui/confirmation.js';
import { h } from '../ui/elements.js';
import { dressed } from '../core/stylesheets.js';
import { evening } from '../core/session_store.js';
import { forgetting } from '../features/access/forgetting.js';
import { onlyHere, waysIn } from '../features/access/share_links.js';
import { phoneIn, roleIn } from '../core/device_storage.js';
import { say, show } from '../ui/page.js';
import { picture } from '../ui/qr_code.js';
import { get, Problem, session } from '../core/api_client.js';
import { sync } from '../features/sync_status.js';
import { speakAlso, t } from '../core/translator.js';

const CALM = 2_000; // ms between looks while the host looks

/** Whoever only watches may be a tablet that lies where everybody sees it. */
const onTable = (home) => h('p', {}, t('door.board'), ' ', h('a', { class: 'link', href: `${home}/board`, 'data-key': 'board' }, t('menu.board')));

export async function share({ id, home, argument, still }) {
  const ask = (rest) => get(session(id, rest));
  let found;
  try {
    found = await Promise.all([ask('/links'), code(id), ask('/phones'), ask('/knocks'), pins(id), dressed('door'), speakAlso('forget.')]);
  } catch (trouble) {
    if (!(trouble instanceof Problem)) throw trouble;
    if (still()) show({ title: t('menu.share'), back: home, fresh: true, main: [h('p', { class: 'empty' }, trouble.message)] });
    return {};
  }
  if (!still()) return null;
  const [{ links: first }, opening, phones, waiting, secrets] = found;
  let links = first;
  const announceRequests = announcer();

  const door = knocks({ id, answered: look });
  const saying = opened({ id, address: new URL(links[0].url).host });
  const there = inside({ id, changed: look });
  const ways = section(({ links: now }) => waysIn(now, (role) => t(`role.${role}.may`), { more: (role) => [role === 'viewer' && onTable(home), ending(role)], open: unfolded() ?? [] }));
  const scan = section(({ links: now }) => [
    onlyHere(now),
    h('p', { class: 'lead' }, t('door.scan')),
    picture(now.find(({ role }) => role === 'scorer').qr, t('share.code', { role: t('role.scorer') })),
  ]);
  const unfolded = () => (ways.node.hidden ? undefined : [...ways.node.querySelectorAll('details[open]')].map((one) => one.dataset.role));

  /** The host's own link is not ended by who is in with it: he would be out himself. */
  const ending = (role) => (role === 'host' && phoneIn(id) === null ? h('p', { class: 'dim' }, t('door.own_link'))
    : h('button', { type: 'button', class: 'button quiet', 'data-key': `end-${role}`, onclick: () => sure({
      title: t('door.end_ask'), words: [t('door.end_what'), t('door.end_stay')], stay: t('door.end_no'), go: t('door.end_yes'), done: () => end(role),
    }) }, t('door.end')));

  async function end(role) {
    try {
      const news = await write(session(id, `/links/${role}`), undefined, { method: 'DELETE' });
      links = news.links;
      scan.tell({ links });
      ways.tell({ links, own: phoneIn(id) });
      say(t('door.ended'));
    } catch (trouble) {
      told(trouble);
    }
  }

  function tell(news, list) {
    there.tell({ ...news, own: phoneIn(id) });
    scan.tell({ links });
    ways.tell({ links, own: phoneIn(id) });
    door.tell(list);
    announceRequests(list);
  }

  /** Nothing waits for it, so nobody is told when it fails: the corner of the page says whether the server hears us. */
  async function look() {
    const hear = saying.asking();
    try {
      const [news, { knocks: list }, now] = await Promise.all([ask('/phones'), ask('/knocks'), code(id)]);
      if (!still()) return;
      tell(news, list);
      hear(now);
    } catch { /* the next look may see more */ }
  }

  saying.asking()(opening);
  show({
    title: t('menu.share'), back: home, aside: evening() && sync(), fresh: true,
    main: [door.node, scan.node, there.node,
      h('details', { class: 'fold', open: opening.code !== null || argument !== undefined },
        h('summary', { 'data-key': 'another-way' }, t('door.another_way')),
        h('div', { class: 'part' }, saying.node, h('h2', {}, t('door.by_role')), ways.node, secrets.node,
          roleIn(id) === 'host' && [naming({ open: argument === 'names' }), forgetting({ home, open: argument === 'forget' })]))],
  });
  tell(phones, waiting.knocks);
  document.querySelector({ forget: '[data-key=forgetting]', names: '[data-key=naming]' }[argument])?.scrollIntoView();

  const keepLooking = async () => {
    if (!still()) return;
    if (!document.hidden) await look();
    setTimeout(keepLooking, CALM);
  };
  setTimeout(keepLooking, CALM);
  return { update: () => document.querySelector('#head .sync')?.replaceWith(sync()) };
}
