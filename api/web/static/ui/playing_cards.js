// Playing cards: their names, the suits, face-up cards, a pack to choose from, and the pictures of the games.

import { t } from '../core/translator.js';
import { COURT_RANKS, RANKS, SUITS, rankOf, suitOf } from '../domain/deal.js';
import { h, hiddenText, keepDescriptions, svg } from './elements.js';

/** The corner of a card: "K", "10", in the reader's language. */
export const rankCorner = (rank) => (COURT_RANKS.includes(rank) ? t(`rank.${rank}`) : rank);

/** A card's name: "King of hearts". */
export const cardName = (card) => t('card.said', {
  suit: t(`suited.${suitOf(card)}`), rank: COURT_RANKS.includes(rankOf(card)) ? t(`ranked.${rankOf(card)}`)
    : rankOf(card),
});

/** A card lying face up. */
export const faceUpCard = (card) => h('span', { class: 'card-face' },
  h('span', { class: `suited${suitOf(card)}`, 'aria-hidden': 'true' }, rankCorner(rankOf(card)),
    suitIcon(suitOf(card))),
  hiddenText(cardName(card)));

// The suits are drawn, because an emoji would bring its own colours.
const SUIT_PATHS = {
  C: 'M12 2.5a4.6 4.6 0 0 1 4 6.9 4.6 4.6 0 1 1-2.9 8c.2 1.6.8 2.9 2 4.1H8.9c1.2-1.2'
    + ' 1.8-2.5 2-4.1a4.6 4.6 0 1 1-2.9-8 4.6 4.6 0 0 1 4-6.9z',
  S: 'M12 2c3 4 8.5 7 8.5 11.3a4.3 4.3 0 0 1-7.4 3c.2 1.9.8 3.6 2.1 5.2H8.8c1.3-1.6'
    + ' 1.9-3.3 2.1-5.2a4.3 4.3 0 0 1-7.4-3C3.5 9 9 6 12 2z',
  H: 'M12 21C8 17 3 13.3 3 8.8A4.7 4.7 0 0 1 12 7a4.7 4.7 0 0 1 9 1.8C21 13.3 16 17 12 21z',
  D: 'M12 2l7.5 10L12 22 4.5 12z',
};

export const suitIcon = keepDescriptions((letter) => svg('svg',
  { class: `suit suit${letter}`, viewBox: '0 0 24 24', 'aria-hidden': 'true' }, drawSuit(letter)));

/** The outline alone, to put into a picture. */
export const drawSuit = (letter) => svg('path', { d: SUIT_PATHS[letter] });

/** The four jacks, highest first, as a fan. Decoration only. */
export function jackFan(letter) {
  return svg('svg', { class: 'fan', viewBox: '0 0 240 150', 'aria-hidden': 'true' },
    SUITS.map((name, index) => svg('g', { transform: `rotate(${(index - 1.5) * 17} 120 210)` },
      svg('rect', { class: 'card', x: 88, y: 22, width: 64, height: 96, rx: 7 }),
      svg('text', { class: `index suit${name}`, x: 96, y: 42 }, letter),
      svg('g', { transform: 'translate(104 54) scale(1.35)', class: `suit${name}` }, drawSuit(name)),
      svg('g', { transform: 'translate(94 46) scale(.55)', class: `suit${name}` }, drawSuit(name)))));
}

// A pack to choose from: suits as rows, ranks as columns; only allowed cards can be tapped.
const SMALL_PACK = 28; // a pack of this size is always shown whole, so that each card keeps its place

// A screen reader reads the card's whole name, so the letters in its corner are hidden from it.

/** `may`: cards that can be tapped; `chosen`: those picked already, where several are wanted. */
export function cardPicker({ pack, may, pick, chosen = [] }) {
  const shownCards = pack.length <= SMALL_PACK ? new Set(pack) : new Set([...may, ...chosen]);
  const ranks = RANKS.filter((rank) => SUITS.some((letter) => shownCards.has(rank + letter)));
  return h('div', { class: ranks.length > 7 ? 'deck long' : 'deck' }, SUITS.map((letter) => {
    const cards = ranks.map((rank) => rank + letter).filter((card) => shownCards.has(card));
    return cards.length > 0 && h('ul', { class: `deck-suit suited${letter}` },
      cards.map((card) => h('li', {}, h('button', {
      type: 'button', class: 'card-button', 'data-key': `card-${card}`, 'aria-label': cardName(card),
      disabled: !may.includes(card) && !chosen.includes(card),
      'aria-pressed': chosen.includes(card) ? 'true' : null, onclick: () => pick(card),
    }, h('b', { 'data-corner': rankCorner(rankOf(card)) }), suitIcon(suitOf(card))))));
  }));
}

// What the pictures of the games are drawn of. Decoration: the name stands below it.

export const paintedCard = (turn, letter, face = true) => svg('g', { transform: `rotate(${turn} 40 66)` },
  svg('rect', { class: face ? 'card' : 'card back', x: 28, y: 14, width: 24, height: 36, rx: 4 }),
  letter && svg('g', { class: `suit${letter}`, transform: 'translate(31.6 22) scale(.7)' },
    drawSuit(letter)));

export const paintedCoin = (x, y) => svg('g', { transform: `translate(${x} ${y})` },
  svg('path', { class: 'edge', d: 'M-11 0v4c0 2 5 4 11 4s11-2 11-4v-4z' }),
  svg('ellipse', { class: 'face', rx: 11, ry: 4 }));

export const gamePicture = ({ picture }) =>
  svg('svg', { class: 'game-picture', viewBox: '0 0 80 64', 'aria-hidden': 'true' }, picture());
