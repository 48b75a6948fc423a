// What somebody at the table said or tapped, as a sentence: a recorded action in the reader's language.

import { nameOf } from '../core/session_store.js';
import { spoken as cardNamed } from '../domain/cards.js';
import { namesOf } from '../domain/points.js';
import { t, together } from '../core/translator.js';

/** A bid as the table would say it: "5", "nil Ada + 4". */
export function bidInWords({ tricks, nil, blind_nil: blind, joint_nil: joint }) {
  const blinds = [blind ?? []].flat();
  return [
    joint && t('spader.joint'),
    ...blinds.map((id) => t('spader.said_blind', { name: nameOf(id) })),
    nil && t('spader.said_nil', { name: nameOf(nil) }),
    tricks && String(tricks),
  ].filter(Boolean).join(' + ');
}

const says = (player, words) => `${nameOf(player)}: ${words}`;
const call = (said) => (said === 'accept' || said === 'pass' ? t(`bid.${said}`) : t(`suit.${said}`));
const counts = (taken) => Object.entries(taken).map(([keeper, count]) => `${namesOf(keeper)} ${count}`).join(', ');
const vola = (type) => ({ player }) => t('record.says_vola', { name: nameOf(player), call: t(`call.${type}`) });
const ended = (type, { player, won }) => `${vola(type)({ player })}. ${t(won ? 'record.vola_won' : 'record.vola_lost')}`;

const WORDS = {
  declare: ({ players, trump }) => [t('record.declared', { names: together(players.map(nameOf)) }),
    trump && t('result.trump', { suit: t(`suit.${trump}`) })].filter(Boolean).join(' · '),
  all_pass: () => t('record.all_pass'),
  trick: ({ winner }, number) => t('record.said_trick', { number, name: nameOf(winner) }),
  la_vola: vola('la_vola'),
  vole: vola('vole'),
  finish: () => t('record.finish_here'),
  result: ({ winner, la_vola: laVola, vole }) => [
    winner ? t('record.said_winner', { name: nameOf(winner) }) : winner === null && t('record.nobody'),
    laVola && ended('la_vola', laVola), vole && ended('vole', vole),
  ].filter(Boolean).join(' · '),
  merge: ({ together: one = true }) => t(one ? 'merge.put' : 'merge.kept'),
  cut: ({ card }) => t('said.cut', { card: cardNamed(card) }),
  turn_up: ({ card }) => t('said.turn_up', { card: cardNamed(card) }),
  take: () => t('bid.take'),
  decline: () => t('bid.decline'),
  bid: (action) => says(action.player, call(action.call)),
  discard: ({ player, card }) => t('said.discard', { name: nameOf(player), card: card ? cardNamed(card) : '?' }),
  play: ({ player, card }) => says(player, cardNamed(card)),
  hand: ({ player }) => t('cards.shown', { name: nameOf(player) }),
  side_bid: ({ side, ...bid }) => `${namesOf(side)}: ${bidInWords(bid)}`,
  redeal: ({ player, reason }) => says(player, `${t('spader.redeal')}, ${t(`spader.redeal.${reason}`)}`),
  swap: () => t('spader.swap'),
  no_swap: () => t('spader.no_swap'),
  tricks: ({ taken }) => t('taken.tricks', { names: counts(taken) }),
  stay: ({ player }) => t('stay.said_in', { name: nameOf(player) }),
  pass: ({ player }) => t('stay.said_out', { name: nameOf(player) }),
  exchange: ({ player, cards, turn_up: swap }) => (swap ? t('stay.swap', { name: nameOf(player) })
    : t('exchange.said', { name: nameOf(player), count: cards })),
};

/** `number`: which trick it is, where that is said. */
export const inWords = (action, number = '') => WORDS[action.type]?.(action, number) ?? action.type;

/** All of a deal, each as a sentence; tricks are numbered as they come. */
export function allInWords(actions) {
  let tricks = 0;
  return actions.map((action) => inWords(action, action.type === 'trick' ? (tricks += 1) : ''));
}
