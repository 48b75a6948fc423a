// Others at the table: a code to photograph for each thing they may do.

import { h } from '../dom.js';
import { evening } from '../evening.js';
import { act, say, show } from '../page.js';
import { get, Problem, session } from '../server.js';
import { sync } from '../sync.js';
import { t } from '../words.js';

export async function share({ id, home, still }) {
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
  const draw = (fresh) => show({
    title: t('menu.share'),
    back: home,
    aside: evening() && sync(),
    fresh,
    main: [refused
      ? h('p', { class: 'empty' }, refused)
      : h('div', {}, links.some(({ url }) => OWN.test(new URL(url).hostname)) && h('p', { class: 'banner' }, t('share.only_here')), links.map((link, index) => h('details', { class: 'fold code', open: index === 0 },
        h('summary', {}, t(`role.${link.role}`)),
        h('p', { class: 'dim' }, t(`role.${link.role}.may`)),
        h('img', { class: 'qr', width: 232, height: 232, alt: t('share.code', { role: t(`role.${link.role}`) }),
          src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(link.qr))}` }),
        copying(link.url, link.role))))],
  });
  draw(true);
  return {};
}

// Addresses by which only this very machine can reach itself.
const OWN = /^(localhost|127\..*|\[::1\])$/;

// An <svg> written for a page lacks the namespace that an image needs.
const standalone = (code) => (code.includes('xmlns') ? code : code.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"'));

// navigator.clipboard is missing on plain http: there the address is selected for copying by hand.
function copying(address, role) {
  const field = h('input', { type: 'text', readonly: true, value: address, 'aria-label': t('share.address') });
  const copy = async () => {
    field.focus();
    field.select();
    let done;
    try {
      await navigator.clipboard.writeText(address);
      done = true;
    } catch {
      done = document.execCommand('copy');
    }
    if (done) say(t('share.copied'));
    button.querySelector('span').textContent = t(done ? 'share.copied' : 'share.selected');
  };
  const button = act(`copy-${role}`, t('share.copy'), copy);
  return h('div', { class: 'copying' }, field, button);
}
