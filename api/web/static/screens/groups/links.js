// Letting others in to the circle, and replacing a link that went too far.

import { section } from '../../ui/section.js';
import { sure } from '../../ui/confirmation.js';
import { h } from '../../ui/elements.js';
import { onlyHere, waysIn } from '../../features/access/share_links.js';
import { say, show } from '../../ui/page.js';
import { get } from '../../core/api_client.js';
import { t } from '../../core/translator.js';
import { at, told } from '../../features/groups/group_client.js';
import { ender } from '../../features/groups/ending.js';

export async function inviting({ id, home, still }) {
  const { links } = await get(at(id, '/links'));
  if (!still()) return null;
  const end = ender(id);
  const ways = section((now) => [onlyHere(now), ...waysIn(now, (role) => t(`circle.${role}.may`), { more: button, open: unfolded() })]);
  const unfolded = () => (ways.node.hidden ? undefined : [...ways.node.querySelectorAll('details[open]')].map((one) => one.dataset.role));

  const button = (role) => h('button', { type: 'button', class: 'button quiet', 'data-key': `end-${role}`, onclick: () => ask(role) }, t('circle.end'));

  function ask(role) {
    const evenings = h('input', { type: 'checkbox', role: 'switch', 'data-key': 'end-evenings' });
    sure({
      title: t('circle.end_ask'),
      words: [t('circle.end_what'), role === 'host' && t('circle.end_own'), alsoIn(evenings)],
      stay: t('circle.end_no'), go: t('circle.end_yes'), done: () => replace(role, evenings.checked),
    });
  }

  async function replace(role, inEvenings) {
    try {
      const now = await end(role, inEvenings);
      if (!still()) return;
      ways.tell(now);
      say(t('circle.ended'));
    } catch (trouble) {
      told(trouble);
    }
  }

  show({ title: t('menu.share'), back: home, fresh: true, main: [ways.node] });
  ways.tell(links);
  return {};
}

const alsoIn = (evenings) => h('label', { class: 'switch-on' },
  h('span', {}, h('b', {}, t('circle.end_evenings')), h('small', { class: 'dim' }, t('circle.end_evenings_what'))), evenings);
