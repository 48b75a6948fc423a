// The results of an evening or a season as one picture, made on the device: to share with other apps, or to
// save where the browser cannot share files.

import { language, t } from '../core/translator.js';
import { actionButton, showWarning } from '../ui/page.js';
import { TOKEN_SHAPES, hueClass, tokenLetters } from '../ui/player_tokens.js';
import { saveFile } from '../ui/share_controls.js';

const WIDTH = 1080; // pixels; what messengers show without scaling
const MARGIN = 80;
const HEADER_HEIGHT = 300;
const ROW_HEIGHT = 116;
const FOOTER_HEIGHT = 120;
const TOKEN_UNITS = 40; // the square in which a token's shape is drawn
const TOKEN_SIZE = 72;
const SMALLEST = 0.6; // a longer text is smaller, but not more than this, and then cut

/**
 * The button. `describe()` returns the picture's content: `{ title, lines, rows }`, rows of
 * `{ index, letters, name, text, sign }`, and `fileName` without its ending.
 */
export const pictureButton = (describe) => actionButton('share-picture', t('picture.share'), async () => {
  const content = describe();
  const blob = await new Promise((resolve) => { drawPicture(content).toBlob(resolve, 'image/png'); });
  if (blob === null) { showWarning(t('picture.failed')); return; }
  const file = new File([blob], `${content.fileName}.png`, { type: 'image/png' });
  if (!navigator.canShare?.({ files: [file] })) { saveFile({ blob, name: file.name }); return; }
  try {
    await navigator.share({ files: [file], title: content.title });
  } catch (error) {
    // The user has cancelled it, or an earlier tap is still sharing.
    if (!['AbortError', 'InvalidStateError'].includes(error.name)) saveFile({ blob, name: file.name });
  }
});

/**
 * Rows for everybody, the best result first; equal results keep their order. `points`: whether the results
 * are scores, which have no color; `lowestFirst`: whether the lowest is the best.
 */
export function rankedRows(people, resultOf, write, { points = false, lowestFirst = false } = {}) {
  const direction = lowestFirst ? -1 : 1;
  const names = people.map(({ name }) => name);
  return people
    .map(({ id, name }, index) => ({ index, letters: tokenLetters(name, names), name, result: resultOf(id) }))
    .filter(({ result }) => result !== null)
    .toSorted((row, otherRow) => direction * (otherRow.result - row.result))
    .map((row) => ({ ...row, text: write(row.result), sign: points ? 0 : Math.sign(row.result) }));
}

function drawPicture({ title, lines, rows }) {
  const canvas = document.createElement('canvas');
  canvas.lang = language();
  canvas.width = WIDTH;
  canvas.height = HEADER_HEIGHT + rows.length * ROW_HEIGHT + FOOTER_HEIGHT;
  const context = canvas.getContext('2d');
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue(`--${name}`).trim();
  const write = (text, x, y, { font, size, fill, align = 'left', maxWidth = WIDTH - 2 * MARGIN }) => {
    Object.assign(context, { fillStyle: color(fill), textAlign: align, textBaseline: 'alphabetic' });
    for (let fitting = size; fitting >= size * SMALLEST; fitting -= 2) {
      context.font = font(fitting);
      if (context.measureText(text).width <= maxWidth) break;
    }
    context.fillText(fitText(context, text, maxWidth), x, y);
  };
  const serif = (size) => `600 ${size}px ${color('serif')}`;
  const sans = (size, weight = 400) => `${weight} ${size}px ${color('sans')}`;

  context.fillStyle = color('background');
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = color('accent');
  context.fillRect(0, 0, canvas.width, 12);
  write(title, MARGIN, 140, { font: serif, size: 76, fill: 'accent' });
  write(lines.filter(Boolean).join(' · '), MARGIN, 205, { font: sans, size: 38, fill: 'muted-text' });
  rows.forEach((row, place) => {
    const top = HEADER_HEIGHT - 30 + place * ROW_HEIGHT;
    const middle = top + ROW_HEIGHT / 2;
    drawToken(context, row, middle, color, sans);
    const fill = row.sign > 0 ? 'plus' : row.sign < 0 ? 'minus' : 'text';
    const bold = (size) => sans(size, 600);
    write(row.text, WIDTH - MARGIN, middle + 17, { font: bold, size: 50, fill, align: 'right' });
    const maxWidth = WIDTH - 3 * MARGIN - TOKEN_SIZE - context.measureText(row.text).width;
    write(row.name, MARGIN + TOKEN_SIZE + 30, middle + 17,
      { font: sans, size: 50, fill: 'text', maxWidth });
    context.fillStyle = color('divider');
    context.fillRect(MARGIN, top + ROW_HEIGHT, WIDTH - 2 * MARGIN, 2);
  });
  write('Vola', WIDTH - MARGIN, canvas.height - 50,
    { font: serif, size: 44, fill: 'accent', align: 'right' });
  return canvas;
}

function drawToken(context, { index, letters }, middle, color, sans) {
  context.save();
  context.translate(MARGIN, middle - TOKEN_SIZE / 2);
  context.scale(TOKEN_SIZE / TOKEN_UNITS, TOKEN_SIZE / TOKEN_UNITS);
  context.fillStyle = color(hueClass(index));
  context.fill(new Path2D(TOKEN_SHAPES[index % TOKEN_SHAPES.length]));
  Object.assign(context, { font: sans(letters.length > 1 ? 15 : 19, 700), fillStyle: color('on-hue'),
    textAlign: 'center', textBaseline: 'middle' });
  context.fillText(letters, TOKEN_UNITS / 2, TOKEN_UNITS / 2 + 1);
  context.restore();
}

/** The text, cut with an ellipsis if it is wider than `maxWidth`. */
function fitText(context, text, maxWidth) {
  if (context.measureText(text).width <= maxWidth) return text;
  const letters = Array.from(text);
  while (letters.length > 1 && context.measureText(`${letters.join('')}…`).width > maxWidth) letters.pop();
  return `${letters.join('').trimEnd()}…`;
}
