// What the pictures of the games are drawn of. Decoration: the name stands below it.

import { svg } from './elements.js';
import { drawSuit } from './playing_cards.js';

export const paintedCard = (turn, letter, face = true) => svg('g', { transform: `rotate(${turn} 40 66)` },
  svg('rect', { class: face ? 'card' : 'card back', x: 28, y: 14, width: 24, height: 36, rx: 4 }),
  letter && svg('g', { class: `suit${letter}`, transform: 'translate(31.6 22) scale(.7)' },
    drawSuit(letter)));

export const paintedCoin = (x, y) => svg('g', { transform: `translate(${x} ${y})` },
  svg('path', { class: 'edge', d: 'M-11 0v4c0 2 5 4 11 4s11-2 11-4v-4z' }),
  svg('ellipse', { class: 'face', rx: 11, ry: 4 }));

export const gamePicture = ({ picture }) =>
  svg('svg', { class: 'painted', viewBox: '0 0 80 64', 'aria-hidden': 'true' }, picture());
