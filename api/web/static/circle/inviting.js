// Letting others in to the circle, and replacing a link that went too far.

import { section } from '../door/section.js';
import { sure } from '../door/sure.js';
import { h } from '../dom.js';
import { onlyHere, waysIn } from '../links.js';
import { say, show } from '../page.js';
import { get } from '../server.js';
import { t } from '../words.js';
import { at, told } from './book.js';
import { ender } from './ending.js';

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
