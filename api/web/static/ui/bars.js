// How often, for everybody: a bar each, the part that counts filled and the rest only outlined, the numbers in words beside it.

import { h, svg } from './elements.js';
import { hue } from './player_tokens.js';
import { member, placeOf } from '../features/groups/member_tokens.js';

/** `of(tally)`: how many, and how many of them are filled. `says(tally)`: the same in words. */
export function bars({ title, members, who, of, says }) {
  const rows = members.map((tally) => [tally, ...of(tally)]);
  const most = Math.max(...rows.map(([, all]) => all));
  if (most === 0) return null;
  const share = (count) => `${((count / most) * 100).toFixed(2)}%`;
  return h('section', {}, h('h2', {}, title), h('ul', { class: 'bars' }, rows.map(([tally, all, filled]) =>
    h('li', { class: `bar-row ${hue(placeOf(members, tally.id))}${who === null ? '' : who === tally.id ? ' chosen' : ' faint'}` },
      member(members, tally.id),
      h('span', { class: 'says' }, says(tally)),
      all > 0 && svg('svg', { class: 'bar', 'aria-hidden': 'true' },
        svg('rect', { class: 'whole', x: 0, y: '10%', width: share(all), height: '80%', rx: 3 }),
        svg('rect', { class: 'filled', x: 0, y: '10%', width: share(filled), height: '80%', rx: 3 }))))));
}
