// The links that let others in: a code to photograph for each thing they may do.

import { copying } from '../../ui/copy_button.js';
import { h } from '../../ui/elements.js';
import { picture } from '../../ui/qr_code.js';
import { t } from '../../core/translator.js';

const ORDER = ['scorer', 'viewer', 'host']; // most come for the first; the host's own link comes last
const OWN = /^(localhost|127\..*|\[::1\])$/; // addresses by which only this very machine can reach itself

/** Said where the address that the codes lead to is of no use to another phone. */
export const onlyHere = (links) => links.some(({ url }) => OWN.test(new URL(url).hostname)) && h('p', { class: 'banner' }, t('share.only_here'));

/** `may(role)`: in words what such a link lets somebody do; `more(role)`: what else there is to it; `open`: those unfolded. */
export const waysIn = (links, may, { more = () => null, open = ORDER.slice(0, 1) } = {}) => [
  h('div', {}, links.toSorted((one, other) => ORDER.indexOf(one.role) - ORDER.indexOf(other.role)).map(({ role, url, qr }) =>
    h('details', { class: 'fold code', 'data-role': role, open: open.includes(role) },
      h('summary', {}, t(`role.${role}`)),
      h('p', { class: 'dim' }, may(role)),
      picture(qr, t('share.code', { role: t(`role.${role}`) })),
      copying(url, { what: t('share.address'), key: `copy-${role}` }),
      more(role)))),
];
