// How people ask to join a session: by its join code, which the host issues and revokes; and the pending
// requests, with the host's answers: admit, admit as a viewer, or refuse.

import { getJson, sessionPath } from '../../core/api_client.js';
import { Problem } from '../../core/request_errors.js';
import { formatMoment, isolateName, language, listNames, t } from '../../core/translator.js';
import { h, hiddenText } from '../../ui/elements.js';
import { actionButton, announce, section } from '../../ui/page.js';
import { sendWrite, warnOfError } from '../direct_requests.js';

const FRESH_MS = 60_000; // then asks again: the device's clock may be wrong, so the server decides on expiry

let knownCodes = { id: null, isOpen: false, at: 0 };

/** Caches the server's answer; `code` is null while there is no valid code. */
function rememberJoinCode(id, { code }) {
  knownCodes = { id, isOpen: code !== null, at: Date.now() };
}

/** Resolves to the session's join code, {code, expires_at}; both are null while there is none. */
export const fetchJoinCode = (id) => getJson(sessionPath(id, '/join-code')).catch((error) => {
  if (error instanceof Problem && error.code === 'no_join_code') return { code: null, expires_at: null };
  throw error;
});

export async function isJoinCodeOpen(id) {
  if (knownCodes.id !== id || Date.now() - knownCodes.at > FRESH_MS)
    rememberJoinCode(id, await fetchJoinCode(id));
  return knownCodes.isOpen;
}

export const JOIN_CODE_LENGTH = 6;

/** Drops the separators that people type. Corrects no mistaken characters. */
export const parseJoinCode = (text) =>
  text.toLocaleUpperCase('en').replace(/[^A-Z0-9]/g, '').slice(0, JOIN_CODE_LENGTH);

/** The code in two halves, with digits styled unlike letters; screen readers spell it. */
function formatJoinCode(code) {
  const characters = Array.from(code);
  const letter = (character) => h('span', { class: /\d/.test(character) ? 'digit' : null }, character);
  const half = (start, end) => h('span', {}, characters.slice(start, end).map(letter));
  return h('p', { class: 'spoken-code', 'data-code': code },
    h('span', { class: 'join-code', 'aria-hidden': 'true' }, half(0, 3), half(3)),
    hiddenText(characters.join(' ')));
}

const NIGHT_MS = 12 * 3_600_000; // an evening goes on past midnight, so a nearer time needs no date

/** The time of day, with the date only if it is more than twelve hours away. */
export function formatClock(iso) {
  if (Math.abs(Date.now() - Date.parse(iso)) > NIGHT_MS) return formatMoment(iso);
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  return new Intl.DateTimeFormat(language(), clock).format(new Date(iso));
}

/** The host's section for the join code. `address`: where the code is typed in, as people say it. */
export function joinCodeSection({ id, address }) {
  let changeCount = 0;
  const change = async (method, body, words) => {
    try {
      changeCount += 1;
      const joinCode = await sendWrite(sessionPath(id, '/join-code'), body, { method });
      changeCount += 1;
      showCode(joinCode);
      announce(words(joinCode));
    } catch (error) {
      warnOfError(error);
    }
  };
  const issueCode = () => change('POST', {},
    ({ code }) => t('access.code_shown', { code: Array.from(code).join(' ') }));
  const hideCode = () => change('DELETE', undefined, () => t('access.code_hidden'));

  const codeSection = section(({ code, expires_at: expiresAt }) => [
    h('h2', {}, t('access.code_title')),
    ...(code === null ? [
      h('p', { class: 'muted' }, t('access.code_what')),
      h('div', { class: 'button-pair' }, actionButton('join-code', t('access.show_code'), issueCode)),
    ] : [
      formatJoinCode(code),
      h('p', {}, t('access.go_to', { address })),
      h('p', { class: 'muted' }, t('access.until', { time: formatClock(expiresAt) })),
      h('div', { class: 'button-pair' }, actionButton('join-code', t('access.hide_code'), hideCode)),
    ]),
  ]);
  const showCode = (joinCode) => {
    rememberJoinCode(id, joinCode);
    codeSection.update(joinCode);
  };
  return {
    node: codeSection.node,
    /** Call before a fetch; returns a function that shows the answer unless the code has changed since. */
    beforeFetch() {
      const countBefore = changeCount;
      return (joinCode) => { if (changeCount === countBefore) showCode(joinCode); };
    },
  };
}

/** One sentence that names everyone who asks to join. */
export const joinRequestsSentence = (list) =>
  t('access.requested', { count: list.length, names: listNames(list.map(deviceName)) });

export const deviceName = ({ label }) => (label === null ? t('access.a_phone') : isolateName(label));

/** Returns a function that announces the requests that were not in the list before. */
export function joinRequestAnnouncer() {
  let knownRequests = new Set();
  return (list) => {
    const newRequests = list.filter(({ number }) => !knownRequests.has(number));
    knownRequests = new Set(list.map(({ number }) => number));
    if (newRequests.length > 0) announce(joinRequestsSentence(newRequests));
  };
}

/** `onAnswer()` fetches the requests and the devices again. */
export function joinRequestList({ id, onAnswer }) {
  const answered = new Set(); // the numbers of the requests that an answer is sent to
  const answer = async (request, method, rest, body) => {
    if (answered.has(request.number)) return;
    answered.add(request.number);
    const label = deviceName(request);
    try {
      await sendWrite(sessionPath(id, `/join-requests/${request.number}${rest}`), body, { method });
      announce(method === 'POST' ? t('access.is_approved', { label }) : t('access.is_refused', { label }));
    } catch (error) {
      warnOfError(error);
    } finally {
      answered.delete(request.number);
    }
    await onAnswer();
  };
  const approve = (request, body) => answer(request, 'POST', '/approval', body);
  const refuse = (request) => answer(request, 'DELETE', '');
  return section((list) => list.length > 0 && [
    h('h2', {}, t('access.requests_title')),
    list.map((request) => h('div', { class: 'callout join-request', 'data-number': request.number },
      h('p', { class: 'lead' }, t('access.request_of', { label: deviceName(request) })),
      h('div', { class: 'button-pair' },
        answerButton(request, 'let-in', t('access.approve'), () => approve(request, {}), true),
        answerButton(request, 'look-on', t('role.viewer'), () => approve(request, { role: 'viewer' })),
        answerButton(request, 'refuse', t('access.refuse'), () => refuse(request))))),
  ]);
}

const answerButton = (request, key, words, onclick, primary = false) =>
  actionButton(`${key}-${request.number}`, words, onclick,
    { primary, name: `${words}: ${deviceName(request)}` });
