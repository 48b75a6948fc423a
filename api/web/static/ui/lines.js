// What everybody has come to, step by step: a line each, told apart by colour and by dashes, and named where it ends.

import { h, svg } from './elements.js';
import { hue } from './player_tokens.js';
import { t } from '../core/translator.js';
import { called, face, placeOf } from '../features/groups/member_tokens.js';
import { scale, spread } from './chart.js';

const DASHES = ['', '9 5', '2 5', '12 4 2 4', '5 3', '14 6', '7 3 2 3 2 3'];
const ROW = 3;    // rem that a name at the end of a line needs
const LEAST = 15; // rem that a picture is high
const MANY = 24;  // steps; more are a line without stops
const LEAVE = 0.9; // how far across the last step is; from there a line leads to its name

/**
 * `steps`: evenings or deals, each with `totals`; `began(id)` what somebody had before the first. `write` has `signed`
 * for a sum and `bare` for a mark. `who` is the member whose line stands out; a tap picks another. `ends`: what stands
 * under the first step and the last.
 */
export function lines({ steps, members, began = () => 0, write, unit, who, pick, title, ends: [first, latest] }) {
  const playing = members.filter(({ id }) => steps.some(({ totals }) => id in totals));
  const tall = Math.max(LEAST, playing.length * ROW);
  const { marks, place } = scale([...playing.map(({ id }) => began(id)), ...steps.flatMap(({ totals }) => Object.values(totals))], unit);
  const across = (index) => ((index + 1) / steps.length) * LEAVE * 1000;
  const last = (id) => steps.at(-1).totals[id] ?? 0;
  const heights = playing.map(({ id }) => place(last(id)));
  const labels = spread(heights, ROW / tall);

  const line = ({ id }, index) => {
    const from = steps.findIndex(({ totals }) => id in totals);
    const points = [`${across(from - 1)} ${place(began(id)) * 1000}`,
      ...steps.slice(from).map(({ totals }, later) => `${across(from + later)} ${place(totals[id]) * 1000}`)];
    const mine = placeOf(members, id);
    return svg('g', { class: `line ${hue(mine)}${fate(id, who)}`, 'data-line': id },
      svg('path', { class: 'way', d: `M${points.join('L')}`, 'stroke-dasharray': DASHES[mine % DASHES.length] }),
      steps.length <= MANY && svg('path', { class: 'stops', d: points.slice(1).map((point) => `M${point}h.1`).join('') }),
      svg('path', { class: 'lead-on', d: `M${LEAVE * 1000} ${heights[index] * 1000}L1000 ${labels[index] * 1000}` }));
  };

  // Whoever stands out is drawn last, over the others.
  const order = playing.map((one, index) => [one, index]).sort(([one], [other]) => (one.id === who) - (other.id === who));
  const drawn = svg('svg', { viewBox: '0 0 1000 1000', preserveAspectRatio: 'none', role: 'img',
    'aria-label': `${title}: ${playing.map(({ id }) => `${called(members, id)} ${write.signed(last(id))}`).join(', ')}` },
  marks.map((sum) => svg('path', { class: sum === 0 ? 'across zero' : 'across', d: `M0 ${place(sum) * 1000}H${LEAVE * 1000}` })),
  order.map(([one, index]) => line(one, index)));

  const node = h('div', { class: 'seasons' },
    h('div', { class: 'plot' }, drawn, marks.map((sum) => at(place(sum), h('span', { class: 'mark', 'aria-hidden': 'true' }, write.bare(sum) || '0')))),
    h('ul', { class: 'ends', 'aria-label': t('season.pick') }, playing.map(({ id, name }, index) => at(labels[index], h('li', { class: 'end' },
      h('button', { type: 'button', class: `end-name ${hue(placeOf(members, id))}${fate(id, who)}`, 'data-key': `line-${id}`, 'aria-pressed': String(id === who), onclick: () => pick(id === who ? null : id) },
        face(members, id), h('span', {}, h('bdi', { class: 'name' }, name), h('b', {}, write.signed(last(id))))))))),
    h('p', { class: 'dim dates' }, h('span', {}, first), latest && h('span', {}, latest)));
  node.style.setProperty('--tall', `${tall}rem`);
  return node;
}

const fate = (id, who) => (who === null ? '' : id === who ? ' chosen' : ' faint');

function at(height, node) {
  node.style.setProperty('--y', `${(height * 100).toFixed(2)}%`);
  return node;
}
