// Others at the table: a code to photograph for each thing they may do; and the way to be forgotten.

import { copying } from '../copying.js';
import { h } from '../dom.js';
import { evening } from '../evening.js';
import { forgetting } from '../forgetting.js';
import { roleIn } from '../memory.js';
import { show } from '../page.js';
import { picture } from '../picture.js';
import { get, Problem, session } from '../server.js';
import { sync } from '../sync.js';
import { t } from '../words.js';

export async function share({ id, home, argument, still }) {
  let links = [];
  let refused = null;
  try {
    ({ links } = await get(session(id, '/links')));
  } catch (trouble) {
    if (!(trouble instanceof Problem)) throw trouble;
    refused = trouble.message;
  }
  if (!still()) return null;
  // Scorers first: that is why most people come here. The host's own link comes last.
  const order = ['scorer', 'viewer', 'host'];
  links.sort((one, other) => order.indexOf(one.role) - order.indexOf(other.role));
  show({
    title: t('menu.share'),
    back: home,
    aside: evening() && sync(),
    fresh: true,
    main: [refused
      ? h('p', { class: 'empty' }, refused)
      : h('div', {}, links.some(({ url }) => OWN.test(new URL(url).hostname)) && h('p', { class: 'banner' }, t('share.only_here')), links.map((link, index) => h('details', { class: 'fold code', open: index === 0 },
        h('summary', {}, t(`role.${link.role}`)),
        h('p', { class: 'dim' }, t(`role.${link.role}.may`)),
        picture(link.qr, t('share.code', { role: t(`role.${link.role}`) })),
        copying(link.url, { what: t('share.address'), key: `copy-${link.role}` }))),
      roleIn(id) === 'host' && forgetting({ home, open: argument === 'forget' }))],
  });
  if (argument === 'forget') document.querySelector('[data-key=forgetting]')?.scrollIntoView();
  return {};
}

// Addresses by which only this very machine can reach itself.
const OWN = /^(localhost|127\..*|\[::1\])$/;
