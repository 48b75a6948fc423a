// Shown instead of a screen when this device has lost its access, the link is no longer valid, the server
// cannot be reached, or the form has a fault: says which, and what to do.

import { areWritesStored, listWrites } from '../core/database.js';
import { dealDraft, deviceInSession, knownSession } from '../core/device_storage.js';
import { isModuleMissing, Problem, Unreached } from '../core/request_errors.js';
import { loadAllSentences, t } from '../core/translator.js';
import { h } from '../ui/elements.js';
import { actionButton, actionLink, announce, showScreen } from '../ui/page.js';

const LOOK_AGAIN_MS = 3_000;

export async function lostScreen({ error, retry, backHref, id, isCurrent }) {
  if (error.code === 'unknown_session' && (knownSession(id) || !mayStoreCookies())) {
    const isShown = await lostAccessNote({ id, retry, isCurrent }).catch(() => false);
    if (isShown || !isCurrent()) return;
  }
  const tableHref = error.code === 'unknown_deal' && `#/s/${id}`;
  const isProblem = error instanceof Problem;
  const isGone = error.code === 'unknown_session';
  const isUnreached = error instanceof Unreached || isModuleMissing(error);
  const reason = isProblem ? 'gone' : !isUnreached ? 'fault' : error.busy ? 'busy' : 'offline';
  if (isUnreached) retryOpening(retry, isCurrent);
  if (reason === 'fault') reportError(error);
  // A module of a newer form than this page's fails again until the page is loaded anew.
  const tryAgain = reason === 'fault' && areWritesStored() ? () => location.reload() : retry;
  showScreen({
    title: isProblem && !isGone ? error.message : t(`load_error.${reason}_title`),
    backHref: tableHref || (isProblem ? '#/' : backHref),
    fresh: true,
    main: isProblem && !isGone ? [] : [h('p', { class: 'lead' }, t(`load_error.${reason}`))],
    bar: [tableHref ? actionLink('table', t('record.to_table'), tableHref, { primary: true }) : isProblem
      ? actionLink('home', t('load_error.home'), '#/', { primary: true })
      : actionButton('again', t('load_error.again'), tryAgain, { primary: true })],
  });
}

/** Whether the browser takes cookies; `navigator.cookieEnabled` is true also where it discards them. */
function mayStoreCookies() {
  document.cookie = 'test=1;max-age=9';
  return document.cookie.includes('test');
}

/**
 * This device has lost its access, or its browser takes no cookie, which would give it: says why, what it
 * still holds, and the ways back in. Nothing recorded here is deleted. Returns whether there was anything to
 * say.
 */
async function lostAccessNote({ id, retry, isCurrent }) {
  const [writes] = await Promise.all([listWrites(), loadAllSentences()]);
  if (!isCurrent()) return true;
  const isAdmitted = deviceInSession(id) !== null;
  const mayComeIn = mayStoreCookies();
  // Includes writes of an earlier visit.
  const unsentCount = writes.filter(({ session }) => session === id).length;
  const words = mayComeIn ? t(isAdmitted ? 'access.ended_device' : 'access.ended_link',
    { title: knownSession(id)?.title || t('start.untitled') }) : t('access.cookies');
  showScreen({
    title: t(mayComeIn ? 'access.ended' : 'access.cookies_title'), backHref: '#/', fresh: true,
    main: [
      h('p', { class: 'lead' }, words),
      (unsentCount > 0 || dealDraft(id)) && h('p', { class: 'banner' },
        unsentCount > 0 ? t('access.ended_kept', { count: unsentCount }) : t('access.ended_draft')),
      mayComeIn && h('p', { class: 'muted' }, t('access.ended_ways')),
    ],
    bar: [actionButton('again', t('load_error.again'), retry),
      mayComeIn && actionLink('code', t('start.code'), '#/join', { primary: true })],
  });
  announce(words);
  return true;
}

/** A network connection does not mean that the server can be reached, so it is asked again and again. */
function retryOpening(retry, isCurrent) {
  const checkServer = async () => {
    if (!isCurrent()) {
      clearInterval(timer);
      removeEventListener('online', checkServer);
      return;
    }
    if (document.hidden) return;
    const isServerUp = await fetch('/healthz', { cache: 'no-store' })
      .then((answer) => answer.ok, () => false);
    if (isServerUp && isCurrent()) retry();
  };
  const timer = setInterval(checkServer, LOOK_AGAIN_MS);
  addEventListener('online', checkServer);
}
