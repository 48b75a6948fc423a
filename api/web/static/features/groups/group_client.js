// A circle on the wire: looked at, written to, and the way from it into its evenings.

import { Problem, createKey, exchangeToken, getJson, sendRequest,
  sessionPath } from '../../core/api_client.js';
import { deviceInSession, knownSessions, readItem, rememberRole, roleInSession,
  writeItem } from '../../core/device_storage.js';
import { t } from '../../core/translator.js';
import { Unreached } from '../../core/unreached.js';
import { showWarning } from '../../ui/page.js';
import { keepsOwnAccess } from '../access/access_rights.js';

export const groupPath = (id, rest = '') => `/v1/circles/${encodeURIComponent(id)}${rest}`;

export async function writeToGroup(path, body, { method = 'POST', key = createKey() } = {}) {
  return (await sendRequest(method, path, { body, headers: { 'Idempotency-Key': key } })).body;
}

/** Trades the token of a link for a cookie that no script can read. */
export async function joinByLink(id, token) {
  await sendRequest('PUT', groupPath(id, '/cookie'), { headers: { Authorization: `Bearer ${token}` } });
  rememberRole(id, token);
}

/** The key of a wish: the same wish twice (a lost answer, an eager thumb) is one. */
export function keyPerRequest() {
  let lastBody = null;
  let key = null;
  return (wish) => {
    const written = JSON.stringify(wish);
    if (written !== lastBody) [lastBody, key] = [written, createKey()];
    return key;
  };
}

/** What is told when something could not be done; any other trouble is a fault, and goes on. */
export function warnOfTrouble(trouble) {
  if (trouble instanceof Unreached) return showWarning(t('queue.offline'));
  if (!(trouble instanceof Problem)) throw trouble;
  return showWarning(trouble.errors.map(({ detail }) => detail).join(' ') || trouble.message);
}

export const tokenOfSession = ({ path }) => path.split('/').at(-1);

/** An evening of the circle as it stands, seen with the right that the circle gives. */
export const fetchGroupSession = async (groupSession) =>
  (await sendRequest('GET', sessionPath(groupSession.session),
  { headers: { Authorization: `Bearer ${tokenOfSession(groupSession)}` } })).body;

/** A tap that goes into an evening. */
export const openSessionOnTap = (groupSession) => (event) => {
  event.preventDefault();
  return openSession(groupSession);
};

/** Into an evening. A right to it that this phone has already is never made narrower. */
export async function openSession(groupSession) {
  const address = location.hash;
  const token = tokenOfSession(groupSession);
  const isKnown = knownSessions().some(({ id }) => id === groupSession.session);
  try {
    if (!isKnown || !await keepsOwnAccess(groupSession.session, token)) {
      await exchangeToken(groupSession.session, token);
      rememberRole(groupSession.session, token);
    }
    // else somebody has gone elsewhere
    if (location.hash === address) location.hash = `#/s/${groupSession.session}`;
  } catch (trouble) {
    warnOfTrouble(trouble);
  }
}

const GROUP_POLL_MS = 2_500; // ms between questions while somebody looks

/**
 * Asks again for as long as this is what is looked at; `heard(news)` only when it is not what was `known`.
 */
export function watchGroup(path, knownState, isCurrent, onNews) {
  let etag = null;
  let lastText = JSON.stringify(knownState);
  const ask = async () => {
    if (!isCurrent()) return;
    try {
      if (!document.hidden) {
        const answer =
          await sendRequest('GET', path, { headers: etag === null ? {} : { 'If-None-Match': etag } });
        const text = answer.status === 200 ? JSON.stringify(answer.body) : lastText;
        if (text !== lastText && isCurrent()) await onNews(answer.body);
        // only now: news that could not be shown is asked for again
        [etag, lastText] = [answer.etag ?? etag, text];
      }
    } catch { /* out of reach, or let out: whoever taps is told */ }
    setTimeout(ask, GROUP_POLL_MS);
  };
  ask();
}

// A link of the circle that went too far is replaced. The host's own as well: this phone gets the next one
// with the answer.
const pendingRotation = (id) => `ending.${id}`;

/** Ends links, one wish at a time; resolves to the links as they are now. */
export function linkRotator(id) {
  let lastKey = null;
  return async (role, inEvenings) => {
    if (lastKey?.role !== role || lastKey.inEvenings !== inEvenings)
      lastKey = { role, inEvenings, key: createKey() };
    const links = await sendRotation(id, lastKey);
    lastKey = null; // once more is another wish, unless nobody knows what became of this one
    return links;
  };
}

/**
 * If this phone is out because it has ended its own link and never heard so, it asks once more. Whether it is
 * in again.
 */
export async function finishPendingRotation(id) {
  const wish = readItem(pendingRotation(id));
  if (wish === null) return false;
  try {
    await sendRotation(id, wish);
    return true;
  } catch (trouble) {
    if (trouble instanceof Problem) return false;
    throw trouble;
  }
}

/** This phone is in, so nothing was lost. */
export const forgetPendingRotation = (id) => writeItem(pendingRotation(id), null);

async function sendRotation(id, wish) {
  const { role, inEvenings, key } = wish;
  if (role === 'host') writeItem(pendingRotation(id), wish);
  try {
    const { links } =
      await writeToGroup(groupPath(id, `/links/${role}${inEvenings ? '?evenings=true' : ''}`), undefined,
      { method: 'DELETE', key });
    forgetPendingRotation(id);
    if (role === 'host' && inEvenings) await acceptNewLink(id);
    return links;
  } catch (trouble) {
    if (trouble instanceof Problem) forgetPendingRotation(id);
    throw trouble;
  }
}

/** Into those of the evenings where this phone was by the link that has ended. */
async function acceptNewLink(id) {
  const mine =
    new Set(knownSessions().map((id) => id.id).filter((id) => roleInSession(id) === 'host'
    && deviceInSession(id) === null));
  const { evenings: theirs } = await getJson(groupPath(id));
  for (const groupSession of theirs.filter(({ session }) => mine.has(session))) {
    await exchangeToken(groupSession.session, tokenOfSession(groupSession));
    rememberRole(groupSession.session, tokenOfSession(groupSession));
  }
}
