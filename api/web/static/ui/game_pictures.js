// A picture of each game, as one would paint it on a sign. Decoration: the name stands under it.

import { svg } from './elements.js';
import { drawn } from './suits.js';

const card = (turn, letter, face = true) => svg('g', { transform: `rotate(${turn} 40 66)` },
  svg('rect', { class: face ? 'card' : 'card back', x: 28, y: 14, width: 24, height: 36, rx: 4 }),
  letter && svg('g', { class: `suit${letter}`, transform: 'translate(31.6 22) scale(.7)' }, drawn(letter)));
const coin = (x, y) => svg('g', { transform: `translate(${x} ${y})` },
  svg('path', { class: 'edge', d: 'M-11 0v4c0 2 5 4 11 4s11-2 11-4v-4z' }), svg('ellipse', { class: 'face', rx: 11, ry: 4 }));

const PAINTED = {
  polskt_pass: () => [card(-27, 'D'), card(-9, 'H'), card(9, 'S'), card(27, 'C')],
  polskpas: () => [card(-14, null, false), card(10, 'C'), coin(22, 54), coin(22, 49), coin(46, 56), coin(46, 51), coin(46, 46)],
  spader: () => [svg('g', { class: 'suitS great', transform: 'translate(18 8) scale(1.85)' }, drawn('S')),
    svg('path', { class: 'cross', d: 'M8 32h8M64 32h8M40 2v5M40 57v5' })],
  knektpass: () => [['12', 10, 20], ['7', 30, 30], ['3', 48, 40], ['0', 66, 54]].map(([number, x, y]) =>
    svg('text', { class: number === '0' ? 'count goal' : 'count', x, y, 'text-anchor': 'middle' }, number)),
};

export const picture = (key) => svg('svg', { class: 'painted', viewBox: '0 0 80 64', 'aria-hidden': 'true' }, PAINTED[key]());
