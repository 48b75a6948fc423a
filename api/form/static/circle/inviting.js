// Letting others in to the circle: a code to photograph for each thing they may do.

import { copying } from '../copying.js';
import { h } from '../dom.js';
import { show } from '../page.js';
import { picture } from '../picture.js';
import { get } from '../server.js';
import { t } from '../words.js';
import { at } from './book.js';

const ORDER = ['scorer', 'viewer', 'host']; // most come for the first; the host's own link comes last

export async function inviting({ id, home, still }) {
  const { links } = await get(at(id, '/links'));
  if (!still()) return null;
  links.sort((one, other) => ORDER.indexOf(one.role) - ORDER.indexOf(other.role));
  show({
    title: t('menu.share'), back: home, fresh: true,
    main: [
      links.some(({ url }) => OWN.test(new URL(url).hostname)) && h('p', { class: 'banner' }, t('share.only_here')),
      h('div', {}, links.map((link, index) => h('details', { class: 'fold code', open: index === 0 },
        h('summary', {}, t(`role.${link.role}`)),
        h('p', { class: 'dim' }, t(`circle.${link.role}.may`)),
        picture(link.qr, t('share.code', { role: t(`role.${link.role}`) })),
        copying(link.url, { what: t('share.address'), key: `copy-${link.role}` })))),
    ],
  });
  return {};
}

// Addresses by which only this very machine can reach itself.
const OWN = /^(localhost|127\..*|\[::1\])$/;
