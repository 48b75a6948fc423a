// The links that let others in: a code to photograph for each thing they may do.

import { t } from '../../core/translator.js';
import { copyButton } from '../../ui/copy_button.js';
import { h } from '../../ui/elements.js';
import { qrCode } from '../../ui/qr_code.js';

const ROLE_ORDER = ['scorer', 'viewer', 'host']; // most come for the first; the host's own link comes last
// addresses by which only this very machine can reach itself
const LOOPBACK_HOST = /^(localhost|127\..*|\[::1\])$/;

/** Said where the address that the codes lead to is of no use to another phone. */
export const loopbackWarning = (links) => links.some(({ url }) => LOOPBACK_HOST.test(new URL(url).hostname))
  && h('p', { class: 'banner' }, t('share.only_here'));

/**
 * `may(role)`: in words what such a link lets somebody do; `more(role)`: what else there is to it; `open`:
 * those unfolded.
 */
export const shareLinks = (links, may, { more: extra = () => null, open = ROLE_ORDER.slice(0, 1) } = {}) => [
  h('div', {}, links.toSorted((link, nextLink) => ROLE_ORDER.indexOf(link.role) - ROLE_ORDER
    .indexOf(nextLink.role))
    .map(({ role, url, qr }) =>
    h('details', { class: 'fold code', 'data-role': role, open: open.includes(role) },
      h('summary', {}, t(`role.${role}`)),
      h('p', { class: 'dim' }, may(role)),
      qrCode(qr, t('share.code', { role: t(`role.${role}`) })),
      copyButton(url, { what: t('share.address'), key: `copy-${role}` }),
      extra(role)))),
];
