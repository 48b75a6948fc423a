// A deck for one thumb: suits as rows, ranks as cells, and only what may be tapped can be.

import { h } from './elements.js';
import { corner, rankOf, RANKS, spoken, suitOf } from '../domain/cards.js';
import { suit, SUITS } from './suits.js';

const SMALL = 28; // a pack of so many stays whole on the screen, so that each card keeps its place

// The corner of a card is drawn like its suit: it is called by its whole name, "klöver knekt", and "Kn" is no other name for it.

/** `may`: cards that can be tapped; `chosen`: those picked already, where several are wanted. */
export function picker({ pack, may, pick, chosen = [] }) {
  const shown = pack.length <= SMALL ? new Set(pack) : new Set([...may, ...chosen]);
  const ranks = RANKS.filter((rank) => SUITS.some((letter) => shown.has(rank + letter)));
  return h('div', { class: ranks.length > 7 ? 'deck long' : 'deck' }, SUITS.map((letter) => {
    const cards = ranks.map((rank) => rank + letter).filter((card) => shown.has(card));
    return cards.length > 0 && h('ul', { class: `of suited${letter}` }, cards.map((card) => h('li', {}, h('button', {
      type: 'button', class: 'pick', 'data-key': `card-${card}`, 'aria-label': spoken(card), disabled: !may.includes(card) && !chosen.includes(card),
      'aria-pressed': chosen.includes(card) ? 'true' : null, onclick: () => pick(card),
    }, h('b', { 'data-corner': corner(rankOf(card)) }), suit(suitOf(card))))));
  }));
}
