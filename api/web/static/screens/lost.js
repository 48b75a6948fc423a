// There is nothing to show: the link is no longer valid, or the server cannot be reached. Says which, and
// what to do.

import { knownSessions } from '../core/device_storage.js';
import { Problem, Unreached } from '../core/request_errors.js';
import { t } from '../core/translator.js';
import { h } from '../ui/elements.js';
import { actionButton, actionLink, showScreen } from '../ui/page.js';

const LOOK_AGAIN_MS = 3_000;

export async function lostScreen({ trouble, retry, backHref, id, isCurrent }) {
  if (trouble.code === 'unknown_session' && knownSessions().some((session) => session.id === id)) {
    const drawn = await import('./lost_access.js').then((file) =>
      file.lostAccessNote({ id, retry, isCurrent }))
      .catch(() => false);
    if (drawn || !isCurrent()) return;
  }
  const deal = trouble.code === 'unknown_deal' && `#/s/${id}`;
  const isProblem = trouble instanceof Problem;
  if (!isProblem && !trouble.busy) retryOpening(retry, isCurrent);
  if (!isProblem && !(trouble instanceof Unreached)) console.error(trouble);
  showScreen({
    title: deal ? trouble.message : isProblem ? t('lost.gone_title')
      : t(trouble.busy ? 'lost.busy_title' : 'lost.offline_title'),
    backHref: deal || (isProblem ? '#/' : backHref),
    fresh: true,
    main: deal ? []
      : [h('p', { class: 'lead' }, isProblem ? t('lost.gone')
        : t(trouble.busy ? 'lost.busy' : 'lost.offline')),
      isProblem && h('p', { class: 'dim' }, trouble.message)],
    bar: [deal ? actionLink('table', t('record.to_table'), deal, { big: true }) : isProblem
      ? actionLink('home', t('lost.home'), '#/', { big: true })
      : actionButton('again', t('lost.again'), retry, { big: true })],
  });
}

/** A network connection does not mean that the server can be reached, so it is asked again and again. */
function retryOpening(retry, isCurrent) {
  const look = async () => {
    if (!isCurrent()) { clearInterval(timer); return; }
    if (document.hidden) return;
    const lives = await fetch('/healthz', { cache: 'no-store' }).then((answer) => answer.ok, () => false);
    if (lives && isCurrent()) retry();
  };
  const timer = setInterval(look, LOOK_AGAIN_MS);
  addEventListener('online', look, { once: true });
}
