// The pack: which cards there are, and what each is called. Suits lie in the order of the jacks.

import { h } from '../ui/elements.js';
import { suit, SUITS } from '../ui/suits.js';
import { t } from '../core/translator.js';

export const RANKS = ['A', 'K', 'Q', 'J', '10', '9', '8', '7', '6', '5', '4', '3', '2'];
const COURT = ['A', 'K', 'Q', 'J'];

export const rankOf = (card) => card.slice(0, -1);
export const suitOf = (card) => card.slice(-1);

/** All cards down to this rank. */
export const packFrom = (lowest) => SUITS.flatMap((letter) =>
  RANKS.slice(0, RANKS.indexOf(lowest) + 1).map((rank) => rank + letter));

/** "K", "10": what stands in the corner, in the reader's language. */
export const corner = (rank) => (COURT.includes(rank) ? t(`rank.${rank}`) : rank);

/** "King of hearts", as it is said. */
export const spoken = (card) => t('card.said', {
  suit: t(`suited.${suitOf(card)}`), rank: COURT.includes(rankOf(card)) ? t(`ranked.${rankOf(card)}`) : rankOf(card),
});

/** A card lying face up. */
export const faceUp = (card) => h('span', { class: 'face-up' },
  h('span', { class: `suited${suitOf(card)}`, 'aria-hidden': 'true' }, corner(rankOf(card)), suit(suitOf(card))),
  h('span', { class: 'aside' }, spoken(card)));
