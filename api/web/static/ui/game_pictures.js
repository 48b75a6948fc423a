// A picture of each game. Decoration: the name stands below it.

import { svg } from './elements.js';
import { drawSuit } from './playing_cards.js';

const paintedCard = (turn, letter, face = true) => svg('g', { transform: `rotate(${turn} 40 66)` },
  svg('rect', { class: face ? 'card' : 'card back', x: 28, y: 14, width: 24, height: 36, rx: 4 }),
  letter && svg('g', { class: `suit${letter}`, transform: 'translate(31.6 22) scale(.7)' },
    drawSuit(letter)));
const paintedCoin = (x, y) => svg('g', { transform: `translate(${x} ${y})` },
  svg('path', { class: 'edge', d: 'M-11 0v4c0 2 5 4 11 4s11-2 11-4v-4z' }),
  svg('ellipse', { class: 'face', rx: 11, ry: 4 }));

const GAME_PICTURES = {
  polskt_pass: () => [paintedCard(-27, 'D'), paintedCard(-9, 'H'), paintedCard(9, 'S'), paintedCard(27, 'C')],
  polskpas: () => [paintedCard(-14, null, false), paintedCard(10, 'C'), paintedCoin(22, 54),
    paintedCoin(22, 49), paintedCoin(46, 56), paintedCoin(46, 51), paintedCoin(46, 46)],
  spader: () => [svg('g', { class: 'suitS great', transform: 'translate(18 8) scale(1.85)' }, drawSuit('S')),
    svg('path', { class: 'cross', d: 'M8 32h8M64 32h8M40 2v5M40 57v5' })],
  knektpass: () => [['12', 10, 20], ['7', 30, 30], ['3', 48, 40], ['0', 66, 54]].map(([number, x, y]) =>
    svg('text', { class: number === '0' ? 'count goal' : 'count', x, y, 'text-anchor': 'middle' }, number)),
};

export const gamePicture = (key) =>
  svg('svg', { class: 'painted', viewBox: '0 0 80 64', 'aria-hidden': 'true' }, GAME_PICTURES[key]());
