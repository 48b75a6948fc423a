// A session's or a group's invite links, one per role, each with its QR code.

import { t } from '../../core/translator.js';
import { copyButton } from '../../ui/copy_button.js';
import { h } from '../../ui/elements.js';
import { qrCode } from '../../ui/qr_code.js';

const ROLE_ORDER = ['scorer', 'viewer', 'host']; // most people are invited as scorers
const LOOPBACK_HOST = /^(localhost|127\..*|\[::1\])$/;

const byRole = (link, otherLink) => ROLE_ORDER.indexOf(link.role) - ROLE_ORDER.indexOf(otherLink.role);

/** A warning if the links have a loopback address, which no other device can reach. */
export const loopbackWarning = (links) => links.some(({ url }) => LOOPBACK_HOST.test(new URL(url).hostname))
  && h('p', { class: 'banner' }, t('share.only_here'));

/**
 * `may(role)` is a sentence on what the role may do, `more(role)` further content for its fold, `open` the
 * unfolded roles.
 */
export const shareLinks = (links, may, { more: extra = () => null, open = ROLE_ORDER.slice(0, 1) } = {}) => [
  h('div', {}, links.toSorted(byRole).map(({ role, url, qr }) =>
    h('details', { class: 'fold code', 'data-role': role, open: open.includes(role) },
      h('summary', {}, t(`role.${role}`)),
      h('p', { class: 'dim' }, may(role)),
      qrCode(qr, t('share.code', { role: t(`role.${role}`) })),
      copyButton(url, { what: t('share.address'), key: `copy-${role}` }),
      extra(role)))),
];
