// A part of a page that changes by itself: drawn again when what it tells of has changed, the focus staying
// where it was.

import { h } from './elements.js';

/**
 * `draw(told)` gives its content, nothing hides it. `other` is where the focus goes when what had it is gone.
 */
export function section(draw, other = () => document.querySelector('h1')) {
  const node = h('section', { class: 'part', hidden: true });
  let last = null;
  return {
    node,
    tell(told) {
      const news = JSON.stringify(told);
      if (news === last) return;
      last = news;
      const held = node.contains(document.activeElement) ? document.activeElement.dataset.key : null;
      const content = draw(told);
      node.hidden = !content;
      node.replaceChildren(...[content ?? []].flat(Infinity).filter(Boolean));
      if (held !== null) (node.querySelector(`[data-key="${CSS.escape(held)}"]`)
        ?? other()).focus({ preventScroll: true });
    },
  };
}
