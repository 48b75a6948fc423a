// Charts: a scale of round numbers, bars, lines, and tables of figures.

import { t } from '../core/translator.js';
import { addAttributes, h, svg } from './elements.js';
import { hueClass, memberIndex, memberLabel, memberName, memberToken } from './player_tokens.js';

const STEPS = [1, 2, 5, 10];
const MAX_STEPS = 5; // marks of the scale

/**
 * `place(sum)` is 0 at the top and 1 at the bottom; `marks` are the sums of the lines across, in whole
 * `unit`s.
 */
function chartScale(sums, unit) {
  const low = Math.min(0, ...sums);
  const high = Math.max(0, ...sums);
  const span = high - low || unit;
  const step = roundUpStep(span / MAX_STEPS / unit) * unit;
  const bottom = Math.floor(low / step) * step;
  const top = Math.max(bottom + step, Math.ceil(high / step) * step);
  const marks = [];
  for (let sum = bottom; sum <= top; sum += step) marks.push(sum);
  return { marks, place: (sum) => (top - sum) / (top - bottom) };
}

function roundUpStep(minStep) {
  const ten = 10 ** Math.floor(Math.log10(Math.max(minStep, 1)));
  return STEPS.find((step) => step * ten >= minStep) * ten;
}

/** Moves labels at these heights apart, none outside 0–1, in the order of the heights. */
function spreadLabels(heights, minGap) {
  const order = heights.map((height, index) => ({ height, index }))
    .sort((label, nextLabel) => label.height - nextLabel.height);
  const spreadHeights = [];
  let floor = minGap / 2;
  for (const label of order) {
    label.height = Math.max(label.height, floor);
    floor = label.height + minGap;
  }
  let ceiling = 1 - minGap / 2;
  for (const label of order.toReversed()) {
    label.height = Math.min(label.height, ceiling);
    ceiling = label.height - minGap;
    spreadHeights[label.index] = label.height;
  }
  return spreadHeights;
}

// A bar for each player: one part is filled, the rest outlined, and the numbers stand beside it.

/**
 * `members`: all, whose order gives each its colour; `tallies`: those with a bar. `lengthsOf(tally)` returns
 * the length of the bar and of its filled part; `describe(tally)` the same in words.
 */
export function barChart({ title, members, tallies = members, chosenMember: chosenId, lengthsOf, describe }) {
  const rows = tallies.map((tally) => [tally, ...lengthsOf(tally)]);
  const maxCount = Math.max(...rows.map(([, count]) => count));
  if (maxCount === 0) return null;
  const share = (count) => `${((count / maxCount) * 100).toFixed(2)}%`;
  return h('section', {}, h('h2', {}, title), h('ul', { class: 'bars' }, rows.map(([tally, count, filled]) =>
    h('li', { class: `bar-row ${hueClass(memberIndex(members, tally.id))}${emphasis(tally.id, chosenId)}` },
      memberLabel(members, tally.id),
      h('span', { class: 'bar-value' }, describe(tally)),
      count > 0 && svg('svg', { class: 'bar', 'aria-hidden': 'true' },
        svg('rect', { class: 'whole', x: 0, y: '10%', width: share(count), height: '80%', rx: 3 }),
        svg('rect', { class: 'filled', x: 0, y: '10%', width: share(filled), height: '80%', rx: 3 }))))));
}

// A line for each player through the totals, with its own colour and dash pattern, and the name at its end.
const DASHES = ['', '9 5', '2 5', '12 4 2 4', '5 3', '14 6', '7 3 2 3 2 3'];
const LABEL_HEIGHT = 3; // rem, of a name at the end of a line
const MIN_HEIGHT = 15; // rem, of the chart
const MAX_DOTTED_STEPS = 24; // with more steps a line has no dots
const LAST_STEP_X = 0.9; // of the width; from there a line leads to the name

/**
 * `steps`: sessions or deals, each with `totals`; `firstTotal(id)`: a member's total before the first.
 * `write` has `signed` for a sum and `bare` for a mark. `chosenMember`: whose line stands out; a tap picks
 * another.
 * `endLabels`: the texts below the first step and the last.
 */
export function lineChart({ steps, members, firstTotal = () => 0, write, unit, chosenMember: chosenId, pick,
  title, endLabels: [firstLabel, lastLabel] }) {
  const shownMembers = members.filter(({ id }) => steps.some(({ totals }) => id in totals));
  const tall = Math.max(MIN_HEIGHT, shownMembers.length * LABEL_HEIGHT);
  const { marks, place } =
    chartScale([...shownMembers.map(({ id }) => firstTotal(id)),
    ...steps.flatMap(({ totals }) => Object.values(totals))], unit);
  const xOf = (index) => ((index + 1) / steps.length) * LAST_STEP_X * 1000;
  const lastTotal = (id) => steps.at(-1).totals[id] ?? 0;
  const heights = shownMembers.map(({ id }) => place(lastTotal(id)));
  const labels = spreadLabels(heights, LABEL_HEIGHT / tall);
  const sums = shownMembers.map(({ id }) => write.signed(lastTotal(id)));
  const style = { '--chart-height': `${tall}rem`,
    '--sum-length': Math.max(...sums.map((sum) => sum.length)) };

  const line = ({ id }, index) => {
    const firstStep = steps.findIndex(({ totals }) => id in totals);
    const points = [`${xOf(firstStep - 1)} ${place(firstTotal(id)) * 1000}`,
      ...steps.slice(firstStep).map(({ totals },
        offset) => `${xOf(firstStep + offset)} ${place(totals[id]) * 1000}`)];
    const hueIndex = memberIndex(members, id);
    return svg('g', { class: `curve-group ${hueClass(hueIndex)}${emphasis(id, chosenId)}`, 'data-line': id },
      svg('path', { class: 'curve', d: `M${points.join('L')}`,
        'stroke-dasharray': DASHES[hueIndex % DASHES.length] }),
      steps.length <= MAX_DOTTED_STEPS
        && svg('path', { class: 'curve-points', d: points.slice(1).map((point) => `M${point}h.1`).join('') }),
      svg('path', { class: 'leader-line',
        d: `M${LAST_STEP_X * 1000} ${heights[index] * 1000}L1000 ${labels[index] * 1000}` }));
  };

  // The chosen line is drawn last, over the others.
  const order = shownMembers.map((member, index) => [member, index]).sort(([member], [nextMember]) =>
    (member.id === chosenId) - (nextMember.id === chosenId));
  const picture = svg('svg', { viewBox: '0 0 1000 1000', preserveAspectRatio: 'none', role: 'img',
    'aria-label': `${title}: ${shownMembers.map(({ id }) =>
      `${memberName(members, id)} ${write.signed(lastTotal(id))}`).join(', ')}` },
  marks.map((sum) =>
    svg('path', { class: sum === 0 ? 'grid-line zero' : 'grid-line',
    d: `M0 ${place(sum) * 1000}H${LAST_STEP_X * 1000}` })),
  order.map(([member, index]) => line(member, index)));

  return h('div', { class: 'chart' }, h('div', { class: 'curves', style },
    h('div', { class: 'plot' }, picture,
      marks.map((sum) => pointAt(place(sum),
        h('span', { class: 'axis-label', 'aria-hidden': 'true' }, write.bare(sum) || '0')))),
    h('ul', { class: 'curve-ends', 'aria-label': t('season.pick') },
      shownMembers.map(({ id, name }, index) => pointAt(labels[index], h('li', { class: 'curve-end' },
      h('button', { type: 'button',
        class: `curve-name ${hueClass(memberIndex(members, id))}${emphasis(id, chosenId)}`,
        'data-key': `line-${id}`,
        'aria-pressed': String(id === chosenId), onclick: () => pick(id === chosenId ? null : id) },
        memberToken(members, id), h('span', {}, h('bdi', { class: 'name' }, name),
          h('b', {}, sums[index]))))))),
    h('p', { class: 'muted dates' }, h('span', {}, firstLabel), lastLabel && h('span', {}, lastLabel))),
  lineLegend(members, shownMembers.toSorted((member, nextMember) =>
    lastTotal(nextMember.id) - lastTotal(member.id)), (id) => write.signed(lastTotal(id))));
}

/** The names and last totals, for a screen without room for them beside the lines; the buttons name them. */
const lineLegend = (members, shownMembers, total) =>
  h('ul', { class: 'legend', 'aria-hidden': 'true' }, shownMembers.map(({ id, name }) =>
    h('li', { class: hueClass(memberIndex(members, id)) }, memberToken(members, id),
      h('bdi', { class: 'name' }, name), h('b', {}, total(id)))));

/** The class by which the chosen member stands out from the others, if one is chosen. */
const emphasis = (id, chosenId) => (chosenId === null ? '' : id === chosenId ? ' chosen' : ' faint');

const pointAt = (height, description) =>
  addAttributes(description, { style: { '--y': `${(height * 100).toFixed(2)}%` } });

/** A table of figures. On a narrow screen each row becomes a list, every number beside its heading. */
export function figuresTable(title, key, heads, rows, lastRows = []) {
  const row = ([head, cells]) => {
    cells.forEach((cell, place) => addAttributes(cell, { role: 'cell', 'data-head': heads[place + 1] }));
    return h('tr', { role: 'row' }, h('th', { scope: 'row', role: 'rowheader' }, head), cells);
  };
  return h('section', {}, h('h2', {}, title),
    h('div', { class: heads.length > 5 ? 'figures many-columns' : 'figures', 'data-key': key },
      h('table', { role: 'table', 'aria-label': title },
      h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' },
        heads.map((head) => h('th', { scope: 'col', role: 'columnheader' }, head)))),
      h('tbody', { role: 'rowgroup' }, rows.map(row)),
      lastRows.length > 0 && h('tfoot', { role: 'rowgroup' }, lastRows.map(row)))));
}
