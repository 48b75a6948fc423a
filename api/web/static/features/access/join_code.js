// Whether the door of an evening is open, as far as this phone knows: asked seldom, and told by who opens it
// here.

import { Problem, getJson, sessionPath } from '../../core/api_client.js';
import { formatMoment, language, t } from '../../core/translator.js';
import { h, hiddenText } from '../../ui/elements.js';
import { actionButton, announce } from '../../ui/page.js';
import { section } from '../../ui/section.js';
import { warnOfTrouble, writeToGroup } from '../groups/group_client.js';

// ms that an answer is good for: clocks of phones are wrong, so the server says when a code has run out
const FRESH_MS = 60_000;

let knownCodes = { id: null, open: false, at: 0 };

/** `code`: as the server tells it; null when the door is shut. */
export function rememberJoinCode(id, { code }) {
  knownCodes = { id, open: code !== null, at: Date.now() };
}

/** The code that finds this evening, {code, until}; both null while the door is shut. */
export const fetchJoinCode = (id) => getJson(sessionPath(id, '/code')).catch((trouble) => {
  if (trouble instanceof Problem && trouble.code === 'door_shut') return { code: null, until: null };
  throw trouble;
});

export async function isJoinCodeOpen(id) {
  if (knownCodes.id !== id || Date.now() - knownCodes.at > FRESH_MS)
    rememberJoinCode(id, await fetchJoinCode(id));
  return knownCodes.open;
}

// A short code as people say, read and type it.
export const JOIN_CODE_LENGTH = 6;

/** What was typed, without what people put between; nothing else is guessed at. */
export const parseJoinCode = (text) => text.toLocaleUpperCase('en').replace(/[^A-Z0-9]/g, '')
  .slice(0, JOIN_CODE_LENGTH);

/** Big, in two halves, digits unlike letters; for ears one sign at a time. */
export function formatJoinCode(code) {
  const signs = Array.from(code);
  const half = (start, end) => h('span', {}, signs.slice(start, end)
    .map((sign) => h('span', { class: /\d/.test(sign) ? 'digit' : null }, sign)));
  return h('p', { class: 'to-say', 'data-code': code },
    h('span', { class: 'halves', 'aria-hidden': 'true' }, half(0, 3), half(3)), hiddenText(signs.join(' ')));
}

const NIGHT_MS = 12 * 3_600_000; // ms that need no day said: an evening goes on past midnight

/** The time of day, as clocks at a table have it; with the day when that is not clear. */
export const codeClock = (iso) => (Math.abs(Date.now() - Date.parse(iso)) > NIGHT_MS ? formatMoment(iso)
  : new Intl.DateTimeFormat(language(), { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
    .format(new Date(iso)));

// The code to say across the table, for who cannot point a camera; while there is one, people can knock.

/** `address`: where others find Vola, as it is said. */
export function joinCodeSection({ id, address }) {
  let turn = 0;
  const change = async (method, body, words) => {
    try {
      turn += 1;
      const news = await writeToGroup(sessionPath(id, '/code'), body, { method });
      turn += 1;
      showCode(news);
      announce(words(news));
    } catch (trouble) {
      warnOfTrouble(trouble);
    }
  };
  const open = () => change('POST', {}, ({ code }) => t('door.opened', { code: Array.from(code).join(' ') }));
  const shut = () => change('DELETE', undefined, () => t('door.shut_now'));

  const part = section(({ code, until: expiresAt }) => [
    h('h2', {}, t('door.code_title')),
    ...(code === null ? [
      h('p', { class: 'dim' }, t('door.code_what')),
      h('div', { class: 'pair' }, actionButton('door', t('door.open'), open)),
    ] : [
      formatJoinCode(code),
      h('p', {}, t('door.go_to', { address })),
      h('p', { class: 'dim' }, t('door.until', { time: codeClock(expiresAt) })),
      h('div', { class: 'pair' }, actionButton('door', t('door.shut'), shut)),
    ]),
  ]);
  const showCode = (news) => {
    rememberJoinCode(id, news);
    part.tell(news);
  };
  return {
    node: part.node,
    /** For an answer that was asked for before something was changed here: it is no news any more. */
    asking() {
      const turnBefore = turn;
      return (news) => { if (turn === turnBefore) showCode(news); };
    },
  };
}
