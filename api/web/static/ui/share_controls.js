// What leaves the form for other people or apps: a text or an address to copy, its QR code, a file to save,
// and the invite links of a session or a group, one per role.

import { t } from '../core/translator.js';
import { buildElement, h, hiddenText } from './elements.js';
import { announce } from './page.js';

/**
 * A field with a text and a button that copies it. `what` names it for screen readers, `key` for tests;
 * `rows` makes it a text area.
 */
export function copyButton(text, { what: label, key, rows = null }) {
  const field =
    h(rows ? 'textarea' : 'input', { ...(rows ? { rows } : { type: 'text' }), readonly: true, value: text,
    'data-key': `${key}-text`, 'aria-label': label });
  const copy = async ({ currentTarget: button }) => {
    const shownField = button.previousElementSibling;
    shownField.focus();
    shownField.select();
    let isDone;
    try {
      await navigator.clipboard.writeText(text);
      isDone = true;
    } catch {
      isDone = document.execCommand('copy');
    }
    announce(t(isDone ? 'share.copied' : 'share.selected'));
    button.querySelector('span').textContent = t(isDone ? 'share.copied' : 'share.selected');
  };
  return h('div', { class: rows ? 'copy-field multi-line' : 'copy-field' }, field,
    h('button', { type: 'button', class: 'button', 'data-key': key, onclick: copy },
      h('span', {}, t('share.copy')), hiddenText(label)));
}

export const qrCode = (code, alt) => h('img', {
  class: 'qr', width: 232, height: 232, alt,
  src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standaloneSvg(code))}`,
});

// An <svg> written for a page lacks the namespace that an image needs.
const standaloneSvg = (code) => (code.includes('xmlns') ? code
  : code.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"'));

const KEPT_MS = 60_000; // until the browser has surely taken the file over

/** Saves the file, as if it had been a link. */
export function saveFile({ blob, name }) {
  const address = URL.createObjectURL(blob);
  buildElement(h('a', { href: address, download: name })).click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}

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
    h('details', { class: 'disclosure share-code', 'data-role': role, open: open.includes(role) },
      h('summary', {}, t(`role.${role}`)),
      h('p', { class: 'muted' }, may(role)),
      qrCode(qr, t('share.code', { role: t(`role.${role}`) })),
      copyButton(url, { what: t('share.address'), key: `copy-${role}` }),
      extra(role)))),
];
