// The links that give access to the group, and their rotation.

import { getJson } from '../../core/api_client.js';
import { t } from '../../core/translator.js';
import { groupPath, linkRotator, warnOfTrouble } from '../../features/groups/group_client.js';
import { confirmSheet } from '../../ui/confirmation.js';
import { h } from '../../ui/elements.js';
import { announce, showScreen } from '../../ui/page.js';
import { section } from '../../ui/section.js';
import { loopbackWarning, shareLinks } from '../../ui/share_controls.js';

export async function groupLinksScreen({ id, home, isCurrent }) {
  const { links } = await getJson(groupPath(id, '/links'));
  if (!isCurrent()) return null;
  const end = linkRotator(id);
  const ways =
    section((state) =>
    [loopbackWarning(state), ...shareLinks(state, (role) => t(`circle.${role}.may`),
    { more: button, open: unfolded() })]);
  const unfolded = () => (ways.node.hidden ? undefined : [...ways.node.querySelectorAll('details[open]')]
    .map((pressed) => pressed.dataset.role));

  const button = (role) =>
    h('button', { type: 'button', class: 'button quiet', 'data-key': `end-${role}`,
    onclick: () => ask(role) }, t('circle.end'));

  function ask(role) {
    const evenings = h('input', { type: 'checkbox', role: 'switch', 'data-key': 'end-evenings' });
    confirmSheet({
      title: t('circle.end_ask'),
      words: [t('circle.end_what'), role === 'host' && t('circle.end_own'), openTables(evenings)],
      stay: t('circle.end_no'), go: t('circle.end_yes'), done: () => replace(role, evenings.checked),
    });
  }

  async function replace(role, inEvenings) {
    try {
      const newLinks = await end(role, inEvenings);
      if (!isCurrent()) return;
      ways.tell(newLinks);
      announce(t('circle.ended'));
    } catch (trouble) {
      warnOfTrouble(trouble);
    }
  }

  showScreen({ title: t('menu.share'), backHref: home, fresh: true, main: [ways.node] });
  ways.tell(links);
  return {};
}

const openTables = (evenings) => h('label', { class: 'switch-on' },
  h('span', {}, h('b', {}, t('circle.end_evenings')),
    h('small', { class: 'dim' }, t('circle.end_evenings_what'))), evenings);
