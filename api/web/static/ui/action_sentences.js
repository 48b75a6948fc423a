// Recorded actions, and whole deals, as sentences in the reader's language; and two versions side by side.

import { playerName } from '../core/session_store.js';
import { t } from '../core/translator.js';
import { readDeal } from '../domain/deal.js';
import { h } from './elements.js';
import { declarersSentence, sideNames } from './player_tokens.js';
import { cardName } from './playing_cards.js';

/** A bid as people say it: "5", "nil Ada + 4". */
export function bidSentence({ tricks, nil, blind_nil: blind, joint_nil: joint }) {
  const [name, other] = [blind ?? [], nil ?? []].flat().map(playerName);
  if (joint) return t('spader.joint');
  if (Array.isArray(blind)) return t('spader.bid.double_blind_nil', { name, other });
  if (blind && nil) return t('spader.bid.two_nils', { name, other });
  if (blind) return t('spader.bid.blind_nil', { name, tricks });
  return nil ? t('spader.bid.nil', { name, tricks }) : String(tricks ?? '');
}

const callSentence = (player, words) => `${playerName(player)}: ${words}`;
const callName = (call) => (call === 'accept' || call === 'pass' ? t(`bid.${call}`) : t(`suit.${call}`));
const countSentence = (counts) =>
  Object.entries(counts).map(([contestant, count]) => `${sideNames(contestant)} ${count}`).join(', ');
const volaSentence = (call) => ({ player }) => t(`vola.says.${call}`, { name: playerName(player) });
const endSentence = (call, { player, won }) => (won ? t(`vola.won.${call}`, { name: playerName(player) })
  : t(`vola.lost.${call}`, { name: playerName(player) }));

const ACTION_SENTENCES = {
  declare: ({ players, trump }) => [declarersSentence(players),
    trump && t('result.trump', { suit: t(`suit.${trump}`) })].filter(Boolean).join(' · '),
  all_pass: () => t('record.all_pass'),
  trick: ({ winner }, number) => t('record.said_trick', { number, name: playerName(winner) }),
  la_vola: volaSentence('la_vola'),
  vole: volaSentence('vole'),
  finish: () => t('record.finish_here'),
  result: ({ winner, la_vola: laVola, vole }) => [
    winner ? t('record.said_winner', { name: playerName(winner) }) : winner === null && t('record.nobody'),
    laVola && endSentence('la_vola', laVola), vole && endSentence('vole', vole),
  ].filter(Boolean).join(' · '),
  merge: ({ together: isTogether = true }) => t(isTogether ? 'merge.put' : 'merge.kept'),
  cut: ({ card }) => t('announced.cut', { card: cardName(card) }),
  turn_up: ({ card }) => t('announced.turn_up', { card: cardName(card) }),
  take: () => t('bid.take'),
  decline: () => t('bid.decline'),
  bid: (action) => callSentence(action.player, callName(action.call)),
  discard: ({ player, card }) =>
    (card ? t('announced.discard', { name: playerName(player), card: cardName(card) })
      : t('announced.discard_unseen', { name: playerName(player) })),
  play: ({ player, card }) => callSentence(player, cardName(card)),
  hand: ({ player }) => t('cards.shown', { name: playerName(player) }),
  side_bid: ({ side, ...bid }) => `${sideNames(side)}: ${bidSentence(bid)}`,
  redeal: ({ player, reason }) =>
    t(`spader.redeal_said.${reason}`, { name: playerName(player) }),
  swap: () => t('spader.swap'),
  no_swap: () => t('spader.no_swap'),
  tricks: ({ taken: counts }) => t('conflict.tricks', { names: countSentence(counts) }),
  stay: ({ player }) => t('stay.said_in', { name: playerName(player) }),
  pass: ({ player }) => t('stay.said_out', { name: playerName(player) }),
  exchange: ({ player, cards, turn_up: swap }) => (swap ? t('stay.swap', { name: playerName(player) })
    : t('exchange.said', { name: playerName(player), count: cards })),
};

/** `number`: which trick it is, where the sentence names it. */
export const actionSentence = (action, number = '') => ACTION_SENTENCES[action.type]?.(action, number)
  ?? action.type;

/** All actions of a deal as sentences; tricks are numbered in order. */
export function actionSentences(actions) {
  let tricks = 0;
  return actions.map((action) => actionSentence(action, action.type === 'trick' ? (tricks += 1) : ''));
}

/** Summarizes a deal: one of five tricks by its result, any other action by action. */
export const dealSentence = (actions, seats) => fiveTricksSentence(readDeal(actions, { seats }))
  || actionSentences(actions).join(' · ');

function fiveTricksSentence({ passed, declarers, tricks, result, vola, call }) {
  if (passed) return t('record.all_pass');
  const parts = [];
  if (declarers.length > 0) parts.push(declarersSentence(declarers));
  if (vola) parts.push(t(`vola.says.${call}`, { name: playerName(vola) }));
  if (tricks.length > 0) parts.push(t('conflict.tricks', { names: tricks.map(playerName).join(', ') }));
  if (result?.winner) parts.push(t('record.said_winner', { name: playerName(result.winner) }));
  return parts.join(' · ');
}

/** One of two versions that stand side by side. */
export const versionHalf = (title, ...content) =>
  h('section', { class: 'version' }, h('h3', {}, title), content);

/** The sentences of one version; those that the other does not have in the same place are marked. */
export const versionSentences = (sentences, otherSentences) => sentences.length > 0
  && h('ol', { class: 'text-panel' }, sentences.map((sentence, place) =>
    h('li', { class: sentence === otherSentences[place] ? null : 'changed' }, sentence)));
