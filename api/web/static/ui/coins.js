// A pile of coins, as high as the money is many stakes. Decoration: the sum stands beside it.

import { svg } from './elements.js';

const HIGHEST = 7;

export function coins(amount, stake) {
  if (amount === 0) return null;
  // Doubling piles: 1, 2, 4, 8 … stakes add a coin each, so that a big pot looks big but fits the table.
  let count = 0;
  for (let worth = stake; worth <= amount && count < HIGHEST; worth *= 2) count += 1;
  if (count === 0) count = 1;
  const top = 27 - (count - 1) * 4.4;
  return svg('svg', { class: 'coins', viewBox: `0 ${top} 40 ${44 - top}`, 'aria-hidden': 'true' },
    svg('ellipse', { class: 'shadow', cx: 20, cy: 38, rx: 17, ry: 5.5 }),
    Array.from({ length: count }, (_, level) => svg('g', { transform: `translate(0 ${-level * 4.4})` },
      svg('path', { class: 'edge', d: 'M5 33v4c0 2.800 6.700 5 15 5s15-2.200 15-5v-4z' }),
      svg('ellipse', { class: 'face', cx: 20, cy: 33, rx: 15, ry: 5 }))));
}
