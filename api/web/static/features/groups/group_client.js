// The client for groups (/v1/groups): reading, writing and watching them, opening their sessions, and
// replacing their invite links.

import { createKey, exchangeToken, getJson, sendRequest, sessionPath } from '../../core/api_client.js';
import { deviceInSession, knownSession, knownSessions, readItem, rememberRole, roleInSession,
  writeItem } from '../../core/device_storage.js';
import { Problem } from '../../core/request_errors.js';
import { keepsOwnAccess } from '../access/access_rights.js';
import { sendWrite, warnOfError } from '../direct_requests.js';

export const groupPath = (id, rest = '') => `/v1/groups/${encodeURIComponent(id)}${rest}`;

/** Exchanges the token of a group's link for a cookie that scripts cannot read. */
export async function joinByLink(id, token) {
  await sendRequest('PUT', groupPath(id, '/cookie'), { headers: { Authorization: `Bearer ${token}` } });
  rememberRole(id, token);
}

/** Creates a group of members with these names, and enters it as its host. `key`: see `keyPerRequest`. */
export async function createGroup(name, memberNames, key) {
  const body = { name: name.trim(), members: memberNames.map((memberName) => ({ name: memberName })) };
  const group = await sendWrite('/v1/groups', body, { key: key(body) });
  await joinByLink(group.id, group.tokens.host);
  return group;
}

/** The token that the group gives for a session. */
export const tokenOfSession = ({ path }) => path.split('/').at(-1);

/** Resolves to the state of a group's session, read with the token that the group gives. */
export async function fetchGroupSession(groupSession) {
  const headers = { Authorization: `Bearer ${tokenOfSession(groupSession)}` };
  return (await sendRequest('GET', sessionPath(groupSession.session), { headers })).body;
}

/** A click handler that opens a group's session. */
export const openSessionOnTap = (groupSession) => (event) => {
  event.preventDefault();
  return openSession(groupSession);
};

/** Opens a group's session. If this device already has a token that gives as much, it keeps that one. */
export async function openSession(groupSession) {
  const address = location.hash;
  const token = tokenOfSession(groupSession);
  try {
    if (!knownSession(groupSession.session) || !await keepsOwnAccess(groupSession.session, token)) {
      await exchangeToken(groupSession.session, token);
      rememberRole(groupSession.session, token);
    }
    // unless the user has navigated elsewhere meanwhile
    if (location.hash === address) location.hash = `#/s/${groupSession.session}`;
  } catch (error) {
    if (location.hash === address) warnOfError(error);
  }
}

const GROUP_POLL_MS = 2_500;

/** Polls `path` while its screen is current, and calls `onNews(body)` when the body changes. */
export function watchGroup(path, knownState, isCurrent, onNews) {
  let etag = null;
  let lastText = JSON.stringify(knownState);
  const poll = async () => {
    if (!isCurrent()) return;
    try {
      if (!document.hidden) {
        const headers = etag === null ? {} : { 'If-None-Match': etag };
        const answer = await sendRequest('GET', path, { headers });
        const text = answer.status === 200 ? JSON.stringify(answer.body) : lastText;
        if (text !== lastText && isCurrent()) await onNews(answer.body);
        // only now, so that a body which onNews failed to show is fetched again
        [etag, lastText] = [answer.etag ?? etag, text];
      }
    } catch { /* offline or access revoked: the user's next action shows it */ }
    setTimeout(poll, GROUP_POLL_MS);
  };
  poll();
}

// Rotating a role's link revokes it and issues a new one. If it is the host's, the reply also brings this
// device's new access. The request is stored until then, so that it can be repeated if the reply is lost.
const pendingRotation = (id) => `ending.${id}`;

/** Returns a function that rotates a role's link and resolves to the group's current links. */
export function linkRotator(id) {
  let lastKey = null;
  return async (role, inEvenings) => {
    if (lastKey?.role !== role || lastKey.inEvenings !== inEvenings)
      lastKey = { role, inEvenings, key: createKey() };
    const links = await sendRotation(id, lastKey);
    lastKey = null; // the next rotation is a new request; after a failure it repeats this one
    return links;
  };
}

/** Repeats a rotation of the host's link if its reply was lost; resolves to whether this restores access. */
export async function finishPendingRotation(id) {
  const rotation = readItem(pendingRotation(id));
  if (rotation === null) return false;
  try {
    await sendRotation(id, rotation);
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

/** Call when this device has access, so no reply is missing. */
export const forgetPendingRotation = (id) => writeItem(pendingRotation(id), null);

async function sendRotation(id, rotation) {
  const { role, inEvenings, key } = rotation;
  if (role === 'host') writeItem(pendingRotation(id), rotation);
  try {
    const path = groupPath(id, `/links/${role}/rotation`);
    const { links } = await sendWrite(path, inEvenings ? { sessions: true } : {}, { key });
    forgetPendingRotation(id);
    if (role === 'host' && inEvenings) await acceptNewLink(id);
    return links;
  } catch (error) {
    if (error instanceof Problem) forgetPendingRotation(id);
    throw error;
  }
}

/** Takes the new tokens of those sessions that this device entered by the revoked link. */
async function acceptNewLink(id) {
  const linkedSessions = new Set(knownSessions().map((session) => session.id)
    .filter((sessionId) => roleInSession(sessionId) === 'host' && deviceInSession(sessionId) === null));
  const { sessions: groupSessions } = await getJson(groupPath(id));
  for (const groupSession of groupSessions.filter(({ session }) => linkedSessions.has(session))) {
    await exchangeToken(groupSession.session, tokenOfSession(groupSession));
    rememberRole(groupSession.session, tokenOfSession(groupSession));
  }
}
