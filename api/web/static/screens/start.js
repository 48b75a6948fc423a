// The front page: what Vola is, the groups and sessions on this device, the way to a new one, and the choice
// of language.

import { knownGroups, knownSessions, readItem, removedEntries, writeItem } from '../core/device_storage.js';
import { LANGUAGES, chooseLanguage, language, t } from '../core/translator.js';
import { buildElement, h, icon } from '../ui/elements.js';
import { actionButton, actionLink, announce, refillPart, showScreen, showWarning } from '../ui/page.js';
import { jackFan } from '../ui/playing_cards.js';

export async function startScreen({ isCurrent }) {
  const plainHttpNote = buildElement(h('div', {})); // what https would add, shown once
  if (!isSecureContext && !readItem('plain')) fillPlainHttpNote(plainHttpNote);
  const isNewcomer = () => [knownGroups(), knownSessions(), removedEntries()]
    .every((list) => list.length === 0);
  const rows = isNewcomer() ? null : await import('./start_rows.js').then((file) => file.startRows())
    .catch(() => PLAIN_LINKS);
  if (!isCurrent()) return null;
  const introduction = () => h('section', { class: 'prose muted' },
    h('p', {}, t('start.what')),
    h('p', {}, h('a', { href: '#/rules' }, t('start.rules'))));
  const redraw = () => { if (isCurrent()) draw(false); };
  const draw = (fresh) => showScreen({
    title: 'Vola',
    kind: 'front',
    fresh,
    main: [
      h('div', { class: 'hero' }, jackFan(t('rank.J')), h('p', { class: 'headline' }, t('start.motto'))),
      isNewcomer() && introduction(), // the server has written it into the page already (templates/form.html)
      plainHttpNote,
      h('section', {}, h('h2', {}, t('start.evenings')),
        rows ? rows.sessions(redraw) : h('p', { class: 'empty' }, t('start.empty'))),
      h('section', {}, h('h2', {}, t('start.groups')),
        knownGroups().length === 0 && h('p', { class: 'empty' }, t('start.no_group')),
        (rows ?? PLAIN_LINKS).groups(redraw)),
      rows?.removed(redraw),
      !isNewcomer() && introduction(),
      languageMenu(redraw),
    ],
    bar: [actionLink('code', t('start.code'), '#/join'),
      actionLink('new', t('start.new'), '#/new', { primary: true })],
  });
  draw(true);
  return { update: redraw };
}

const startLink = (key, href, name) => h('li', { class: 'row' },
  h('a', { class: 'row-link', href, 'data-key': key }, h('bdi', { class: 'row-name' }, name)));

/** The lists while the module with the full rows cannot be loaded: links only. */
const PLAIN_LINKS = {
  groups: () => h('ul', { class: 'rows' }, knownGroups().map(({ id, name }) =>
    startLink(`group-${id}`, `#/c/${id}`, name)),
    h('li', { class: 'row' }, h('a', { class: 'row-link', href: '#/c', 'data-key': 'new-group' },
      icon('plus'), h('span', { class: 'row-name' }, t('start.found'))))),
  sessions: () =>
    h('ul', { class: 'rows' }, knownSessions().map(({ id, title }) =>
    startLink(`evening-${id}`, `#/s/${id}`, title || t('start.untitled')))),
  removed: () => null,
};

// Over plain http a browser neither stores the form nor keeps the screen on. This note says so once, and what
// would help.
function fillPlainHttpNote(place) {
  const understood = () => {
    writeItem('plain', true);
    refillPart(place);
  };
  refillPart(place, h('aside', { class: 'banner' }, h('p', {}, t('offline.plain')),
    actionButton('understood', t('offline.understood'), understood, { secondary: true })));
}

/** A closed list changes at every arrow key; such a choice counts once it is left, or at Enter. */
export function languageMenu(changed) {
  let byKey = false;
  let isDue = false;
  const pick = async ({ target }) => {
    isDue = false;
    try {
      await chooseLanguage(target.value);
      announce(''); // the last sentence is in the other language
      changed();
    } catch {
      showWarning(t('queue.offline'));
    }
  };
  const pickIfDue = (event) => { if (isDue) pick(event); };
  const watchKey = (event) => {
    byKey = !event.altKey && ![' ', 'Enter'].includes(event.key);
    if (event.key === 'Enter') pickIfDue(event);
  };
  const change = (event) => {
    isDue = byKey;
    if (!isDue) pick(event);
  };
  return h('label', { class: 'language-choice' }, h('span', {}, t('menu.language')),
    h('select', { name: 'language', 'data-key': 'language', onchange: change, onkeydown: watchKey,
      onblur: pickIfDue, onpointerdown: () => { byKey = false; } },
      Object.entries(LANGUAGES).map(([code, name]) =>
        h('option', { value: code, lang: code, selected: code === language() }, name))));
}
