// The menu: everything but the next deal, in groups (session, money, table, rules, settings).

import { getJson, sessionPath } from '../core/api_client.js';
import { groupOfSession, roleInSession } from '../core/device_storage.js';
import { formatMoment, loadAllSentences, t } from '../core/translator.js';
import { isPointGame } from '../domain/amounts.js';
import { rematchLink } from '../features/session_setup.js';
import { buildElement, h, rowLink } from '../ui/elements.js';
import { closeSheets, openSheet, redrawScreen, refillPart } from '../ui/page.js';
import { languageMenu } from './start.js';

/** Opens the menu, unless another sheet is open. */
export function openMenu(state, home) {
  if (document.querySelector('dialog[open]')) return;
  const isOpen = state.status === 'open';
  const role = roleInSession(state.id);
  const group = groupOfSession(state.id);
  const placeLink = (place, label) => rowLink(`${home}/${place}`, place, label);
  const groups = [
    ['evening', [
      placeLink('deals', t('menu.history')),
      placeLink('pictures', t('menu.pictures')),
      placeLink('check', t('menu.check')),
      ...(group ? groupLink(group) : [rematchLink(state), role === 'host'
        && placeLink('group', t('menu.group'))]),
    ]],
    ['money', [placeLink('statement', [t('menu.statement'), !isOpen && confirmationCount(state)]),
      state.balances !== null && placeLink('costs', t('menu.costs')), closingLink(state, role, placeLink)]],
    ['table', [
      isOpen && role !== 'viewer' && !isPointGame(state) && placeLink('players', t('menu.players')),
      role === 'host' && placeLink('share', t('menu.share')),
      placeLink('board', t('menu.board')),
      placeLink('paper', t('menu.paper')),
    ]],
    ['rules', [placeLink('rules', t('menu.rules'))]],
  ];
  const speechPart = buildElement(h('div', {}));
  const keyPart = buildElement(h('div', {}));
  const backupPart = buildElement(h('div', {}));
  if (role === 'host')
    backupLine(state.id).then((line) => refillPart(backupPart, line)).catch(() => null);
  import('../features/speech.js').then((file) => file.speechSwitch())
    .then((part) => refillPart(speechPart, part)).catch(() => null);
  import('../features/proofs/kept_proofs.js').then((file) => file.keptKeyLine(state.id))
    .then((line) => refillPart(keyPart, line)).catch(() => null);
  openSheet(t('menu.title'), [
    h('nav', { 'aria-label': t('menu.title') }, groups.map(([name, links]) =>
      h('section', { class: 'menu-group' }, h('h3', {}, t(`menu.group.${name}`)), h('ul', { class: 'rows' },
        links.filter(Boolean).map((link) => h('li', { class: 'row' }, link)))))),
    h('section', { class: 'menu-group' }, h('h3', {}, t('menu.group.settings')), languageMenu(() => {
      closeSheets();
      redrawScreen();
    }), speechPart),
    backupPart,
    keyPart,
  ]);
}

/** The entry about the end: results and payments of an open session, the payments alone once it is closed. */
function closingLink(state, role, placeLink) {
  const forMoney = state.balances !== null;
  if (state.status === 'open' && role === 'host')
    return placeLink('close', t(forMoney || state.options.point_value ? 'menu.settle_and_close'
      : 'menu.close'));
  return forMoney && placeLink('settlement', t('menu.settle'));
}

/** How many have confirmed the sums of a closed session, filled in later. */
function confirmationCount(state) {
  const node = buildElement(h('span', { class: 'muted row-note', hidden: true }));
  import('../features/proofs/confirmation_card.js').then((file) =>
    file.fillConfirmationCount(node, state)).catch(() => null);
  return node;
}

/** The time of the last backup; null if the book is not backed up automatically. */
async function backupLine(id) {
  const [backup] = await Promise.all([getJson(sessionPath(id, '/backup')), loadAllSentences()]);
  if (!backup.automatic) return null;
  return h('p', { class: backup.failing ? '' : 'muted', 'data-key': 'backup' }, backupSentence(backup));
}

function backupSentence({ created_at: createdAt, failing }) {
  if (!createdAt) return t(failing ? 'backup.failed_first' : 'backup.none');
  return t(failing ? 'backup.failed' : 'backup.last', { time: formatMoment(createdAt) });
}

/** The group of the session, and its next session. */
const groupLink = ({ id, name }) => [
  rowLink(`#/c/${id}`, 'to-group', t('menu.our_group', { name })),
  roleInSession(id) !== 'viewer' && rowLink(`#/c/${id}/tonight`, 'again', t('menu.again')),
];
