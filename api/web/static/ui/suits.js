// The four suits, drawn: the phone's own emoji would bring another world's colours to the table.

import { svg } from './elements.js';

const DRAWN = {
  C: 'M12 2.5a4.6 4.6 0 0 1 4 6.9 4.6 4.6 0 1 1-2.9 8c.2 1.6.8 2.9 2 4.1H8.9c1.2-1.2 1.8-2.5 2-4.1a4.6 4.6 0 1 1-2.9-8 4.6 4.6 0 0 1 4-6.9z',
  S: 'M12 2c3 4 8.5 7 8.5 11.3a4.3 4.3 0 0 1-7.4 3c.2 1.9.8 3.6 2.1 5.2H8.8c1.3-1.6 1.9-3.3 2.1-5.2a4.3 4.3 0 0 1-7.4-3C3.500 9 9 6 12 2z',
  H: 'M12 21C8 17 3 13.300 3 8.800A4.700 4.700 0 0 1 12 7a4.700 4.700 0 0 1 9 1.800C21 13.300 16 17 12 21z',
  D: 'M12 2l7.500 10L12 22 4.500 12z',
};

export const SUITS = ['C', 'S', 'H', 'D'];

export const suit = (letter) => svg('svg', { class: `suit suit${letter}`, viewBox: '0 0 24 24', 'aria-hidden': 'true' },
  svg('path', { d: DRAWN[letter] }));

/** Only the outline, to put into a picture. */
export const drawn = (letter) => svg('path', { d: DRAWN[letter] });

/** The four jacks, highest first: the standing trumps, fanned as a hand. Decoration only. */
export function jacks(letter) {
  return svg('svg', { class: 'fan', viewBox: '0 0 240 150', 'aria-hidden': 'true' },
    SUITS.map((name, index) => svg('g', { transform: `rotate(${(index - 1.5) * 17} 120 210)` },
      svg('rect', { class: 'card', x: 88, y: 22, width: 64, height: 96, rx: 7 }),
      svg('text', { class: `index suit${name}`, x: 96, y: 42 }, letter),
      svg('g', { transform: 'translate(104 54) scale(1.35)', class: `suit${name}` }, svg('path', { d: DRAWN[name] })),
      svg('g', { transform: 'translate(94 46) scale(.55)', class: `suit${name}` }, svg('path', { d: DRAWN[name] })))));
}
