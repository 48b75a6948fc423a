// Shown instead of a screen when this device has lost its access, the link is no longer valid, the server
// cannot be reached, or the form has a fault: says which, and what to do.

import { areWritesStored, listWrites } from '../core/database.js';
import { dealDraft, deviceInSession, isDraftOfDeal, knownSession } from '../core/device_storage.js';
import { isModuleMissing, Problem, Unreached } from '../core/request_errors.js';
import { currentSession } from '../core/session_store.js';
import { loadAllSentences, t } from '../core/translator.js';
import { loadGame } from '../games/registry.js';
import { h } from '../ui/elements.js';
import { actionButton, actionLink, announce, showScreen } from '../ui/page.js';

const LOOK_AGAIN_MS = 3_000;
// While a module is loaded again from a server that answers: the message of its last error.
let lastModuleError = null;

export async function lostScreen({ error, retry, backHref, id, isCurrent }) {
  if (error.code === 'unknown_session' && (knownSession(id) || !mayStoreCookies())) {
    const isShown = await lostAccessNote({ id, retry, isCurrent }).catch(() => false);
    if (isShown || !isCurrent()) return;
  }
  const tableHref = error.code === 'unknown_deal' && `#/s/${id}`;
  const isProblem = error instanceof Problem;
  const isGone = error.code === 'unknown_session';
  // A server that answers and still sends no module has a newer form, without that file.
  const isOutdated = isModuleMissing(error) && error.message === lastModuleError;
  const isUnreached = error instanceof Unreached || (isModuleMissing(error) && !isOutdated);
  const reason = isProblem ? 'gone' : !isUnreached ? 'fault' : error.busy ? 'busy' : 'offline';
  if (isUnreached) retryOpening(error, retry, isCurrent);
  if (reason === 'fault' && !isOutdated) reportError(error);
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
  const [stored] = await Promise.all([listWrites(), loadAllSentences()]);
  const writes = stored.filter(({ session }) => session === id); // also those of an earlier visit
  const draft = dealDraft(id);
  const isSending = writes.some(({ note }) => isDraftOfDeal(id, note.number, note.taps ?? []));
  // without the text, there is still what follows
  const unsent = await unsentText(writes, isSending ? null : draft).catch(() => null);
  if (!isCurrent()) return true;
  const isAdmitted = deviceInSession(id) !== null;
  const mayComeIn = mayStoreCookies();
  const words = mayComeIn ? t(isAdmitted ? 'access.ended_device' : 'access.ended_link',
    { title: knownSession(id)?.title || t('start.untitled') }) : t('access.cookies');
  showScreen({
    title: t(mayComeIn ? 'access.ended' : 'access.cookies_title'), backHref: '#/', fresh: true,
    main: [
      h('p', { class: 'lead' }, words),
      (writes.length > 0 || draft) && h('p', { class: 'banner' },
        writes.length > 0 ? t('access.ended_kept', { count: writes.length }) : t('access.ended_draft')),
      mayComeIn && h('p', { class: 'muted' }, t('access.ended_ways')),
      unsent,
    ],
    bar: [actionButton('again', t('load_error.again'), retry),
      mayComeIn && actionLink('code', t('start.code'), '#/join', { primary: true })],
  });
  announce(words);
  return true;
}

/** What waits on this device of the session shown, to copy; null if its players are not known any more. */
async function unsentText(writes, draft) {
  const session = currentSession();
  if (session === null) return null;
  const [{ textToRecord }, { copyButton }] = await Promise.all([
    import('../features/conflicts/waiting_writes.js'), import('../ui/share_controls.js'),
    loadGame(session.game)]);
  const text = textToRecord(writes, draft);
  const label = t('access.ended_text');
  return text && [h('p', {}, label),
    copyButton(text, { what: label, key: 'unsent', rows: text.split('\n').length + 2 })];
}

/** A network connection does not mean that the server can be reached, so it is asked again and again. */
function retryOpening(error, retry, isCurrent) {
  const checkServer = async () => {
    if (!isCurrent()) {
      clearInterval(timer);
      removeEventListener('online', checkServer);
      return;
    }
    if (document.hidden) return;
    const isServerUp = await fetch('/healthz', { cache: 'no-store' })
      .then((answer) => answer.ok, () => false);
    if (!isServerUp || !isCurrent()) return;
    lastModuleError = error.message;
    await retry();
    lastModuleError = null;
  };
  const timer = setInterval(checkServer, LOOK_AGAIN_MS);
  addEventListener('online', checkServer);
}
