// The card on a closed session: its sums, the question whether they are right, asked once, and then who has
// confirmed them. It blocks nothing, and is loaded when a closed session is shown.

import { getJson, sessionPath } from '../../core/api_client.js';
import { deviceOwner, saveDeviceOwner } from '../../core/device_storage.js';
import { playerName, sessionState } from '../../core/session_store.js';
import { refreshSession } from '../../core/session_sync.js';
import { listNames, loadAllSentences, sessionMoneyWriter, t } from '../../core/translator.js';
import { formatPoints, isPointGame, sumsText } from '../../domain/amounts.js';
import { h, icon } from '../../ui/elements.js';
import { actionButton, announce, iconButton, ignoreEarlyTaps, refillPart } from '../../ui/page.js';
import { memberSums, sideLabel } from '../../ui/player_tokens.js';
import { playerButtons } from '../access/devices.js';
import { answerAbout, haveSumsChanged, isAnswerUnderway, isDenied, onAnswerSent, saveAnswer,
  sendAnswer, watchAnswers } from './sum_confirmation.js';

const EVENT_PAGE = 20; // few events follow the one that closes a session
const POLL_MS = 10_000; // a confirmation by another device does not change the session

const closings = new Map(); // session and version → the version whose event closed the session

/** The version whose event has closed the session as it stands at `version`. */
async function closingVersion(id, version) {
  const key = `${id} ${version}`;
  for (let lastVersion = version; lastVersion > 0 && !closings.has(key); lastVersion -= EVENT_PAGE) {
    const after = Math.max(0, lastVersion - EVENT_PAGE);
    const { events } = await getJson(sessionPath(id, `/events?after=${after}&limit=${lastVersion - after}`));
    const closing = events.findLast(({ type }) => type === 'evening_closed');
    if (closing) closings.set(key, closing.version);
  }
  return closings.get(key) ?? null;
}

/** The list `name` of the session's `cosignatures` or `objections`, as far as it is about this closing. */
const aboutClosing = (answers, name, closing) => answers[name].filter(({ version }) => version >= closing);

const fetchCosignatures = (id) => getJson(sessionPath(id, '/cosignatures'));

const cosigners = (cosignatures) => [...new Set(cosignatures.map(({ player }) => player))];

const cards = new WeakMap(); // node → its card

/** Draws the card, or nothing, into its place on a screen of a closed session; again on every redraw. */
export async function drawConfirmation(node, { id, isCurrent }) {
  if (!cards.has(node)) {
    cards.set(node, { node, id, isCurrent, closing: null, cosignatures: [], witnesses: [],
      objections: [], ownKey: null });
    followAnswer(cards.get(node));
  }
  const card = cards.get(node);
  await loadAllSentences();
  const { confirmed } = sessionState();
  const { closing: lastClosing } = card;
  if (confirmed?.id === id && confirmed.status === 'closed')
    card.closing = await closingVersion(id, confirmed.version);
  if (!isCurrent()) return;
  fillCard(card);
  if (card.closing !== lastClosing) await listAnswers(card);
}

/** Fills the card again when an answer has been sent, and while others may confirm. */
async function followAnswer(card) {
  watchAnswers();
  const stop = onAnswerSent(async (session) => {
    if (session !== card.id || !card.isCurrent()) return;
    if (haveSumsChanged(card.id)) await refreshSession();
    await listAnswers(card).catch(() => fillCard(card));
  });
  while (card.isCurrent()) {
    await new Promise((resolve) => { setTimeout(resolve, POLL_MS); });
    const isEverybody = cosigners(card.cosignatures).length === sessionState().confirmed?.players.length;
    if (card.isCurrent() && !document.hidden && !isEverybody
      && answerAbout(card.id, card.closing)?.status === 'stored')
      await listAnswers(card).catch(() => null);
  }
  stop();
}

async function listAnswers(card) {
  if (card.closing === null) return;
  const { id, closing } = card;
  const [cosigned, objected] = await Promise.all([fetchCosignatures(id),
    getJson(sessionPath(id, '/objections'))]);
  card.cosignatures = aboutClosing(cosigned, 'cosignatures', closing);
  card.witnesses = aboutClosing(cosigned, 'witnesses', closing);
  card.objections = aboutClosing(objected, 'objections', closing);
  const isOwn = ({ player }) => player === deviceOwner(card.id);
  if (card.cosignatures.some(isOwn))
    card.ownKey = (await (await import('./cosigner.js')).existingKey())?.key ?? null;
  if (card.isCurrent()) fillCard(card);
}

function fillCard(card) {
  const { confirmed: state } = sessionState();
  const { node, id, closing } = card;
  const answer = answerAbout(id, closing);
  const isClosed = state?.id === id && state.status === 'closed' && closing !== null;
  if (isClosed && answer === null && isDenied(id)) saveAnswer(id, null); // it was about an earlier closing
  const isUnsettled = state?.payments?.some(({ status }) => status === 'due');
  const content = !isClosed || (answer === null && isUnsettled) ? []
    : [answer === null ? question(card, state) : answerNote(card, answer), otherPhoneNote(card),
      witnessNote(card, answer), objectionNote(card)];
  const parts = content.filter(Boolean);
  const isNew = node.hidden && parts.length > 0;
  node.hidden = parts.length === 0;
  refillPart(node, parts);
  if (isNew && node.nextElementSibling !== null) { // the parts below have moved
    ignoreEarlyTaps();
    document.activeElement.scrollIntoView({ block: 'nearest' });
  }
  if (isNew && answer === null) import('./cosigner.js').catch(() => null); // the network may be gone later
}

/** The question; if the device has no owner yet, first the question whose phone this is. */
function question(card, state) {
  const { id } = card;
  const owner = deviceOwner(id);
  const answer = (choice, details = {}) => {
    saveAnswer(id, { closing: card.closing, choice, ...details });
    fillCard(card);
  };
  const confirm = () => {
    answer('yes', { version: card.closing, player: owner, sums: sumsText(state), status: 'waits' });
    sendAnswer(id);
    announce(t('sums.sending'));
    fillCard(card);
  };
  const deny = () => {
    answer('no', { version: card.closing, player: owner, status: 'waits' });
    sendAnswer(id);
    location.hash = `#/s/${id}/deals`;
  };
  const chooseOwner = (player) => {
    saveDeviceOwner(id, player);
    fillCard(card);
  };
  return h('section', { class: 'callout sums-question', 'data-key': 'sums' },
    h('div', { class: 'callout-head' },
      h('h2', {}, t(owner === null ? 'access.label_ask' : 'sums.ask')),
      iconButton('sums-dismiss', 'cross', t('sums.dismiss'), () => answer('dismissed'))),
    haveSumsChanged(id) && h('p', { class: 'banner', role: 'status' }, t('sums.changed')),
    owner === null ? [h('p', { class: 'muted' }, t('sums.holder_what')),
      ownerButtons(state, chooseOwner, () => answer('dismissed'))]
      : [shownSums(state),
        h('div', { class: 'button-pair' },
          actionButton('sums-yes', t('sums.yes'), confirm, { primary: true }),
          actionButton('sums-no', t('sums.no'), deny)),
        actionButton('sums-other', t('sums.other_holder', { name: playerName(owner) }),
          () => chooseOwner(null), { secondary: true })]);
}

const ownerButtons = (state, chooseOwner, dismiss) => h('div', { class: 'player-buttons' },
  playerButtons(state, 'holder', chooseOwner),
  actionButton('holder-none', t('sums.nobody'), dismiss));

/** Money, points or both. */
const shownSums = (state) => [
  isPointGame(state) && h('span', { class: 'amounts' },
    Object.entries(state.scores).map(([contestant, points]) =>
      h('span', { class: 'inline-item' }, sideLabel(state, contestant), ' ',
        h('b', {}, formatPoints(points))))),
  state.results && memberSums(state.players, state.results, sessionMoneyWriter(state)),
];

function answerNote(card, { choice, status, reason }) {
  if (choice !== 'yes') return null;
  const note = (text) => h('p', { class: 'muted', 'data-key': 'sums-note' }, text);
  const isUnderway = isAnswerUnderway(card.id);
  if (status === 'waits') return note(t(isUnderway ? 'sums.sending' : 'sums.waits'));
  if (status === 'refused') return note(reason);
  if (status === 'unproven') return h('p', { class: 'banner', 'data-key': 'sums-note' }, t('sums.unproven'));
  const players = cosigners(card.cosignatures);
  return players.length > 0 && h('p', { class: 'confirmation', 'data-key': 'sums-note' }, icon('check'),
    h('span', {}, t('sums.confirmed_by', { names: listNames(players.map(playerName)) })));
}

/** A cosignature in the holder's name by a key that is not this phone's. */
function otherPhoneNote({ id, cosignatures, ownKey }) {
  const owner = deviceOwner(id);
  const isOther = cosignatures.some(({ player, key }) => player === owner && key !== ownKey);
  return isOther && h('p', { class: 'muted', 'data-key': 'sums-other-phone' },
    t('sums.other_phone', { name: playerName(owner) }));
}

/** The other books that have witnessed the closed session. */
function witnessNote({ witnesses }, answer) {
  const names = [...new Set(witnesses.map(({ name }) => name))];
  return answer?.status === 'stored' && answer.choice === 'yes' && names.length > 0
    && h('p', { class: 'muted', 'data-key': 'sums-witnessed' },
      t('sums.witnessed_by', { names: listNames(names), count: names.length }));
}

/** The players who have objected to the sums. */
function objectionNote({ objections }) {
  const names = listNames(objections.map(({ player }) => playerName(player)));
  return objections.length > 0 && h('p', { class: 'banner', 'data-key': 'sums-objected' },
    t('sums.objected_by', { names, count: objections.length }));
}

/** Fills a line with how many players have confirmed the sums, if any. */
export async function fillConfirmationCount(node, { id, version }) {
  await loadAllSentences();
  const closing = await closingVersion(id, version);
  if (closing === null) return;
  const { length: count } = cosigners(aboutClosing(await fetchCosignatures(id), 'cosignatures', closing));
  node.textContent = t('sums.count', { count });
  node.hidden = count === 0;
}
