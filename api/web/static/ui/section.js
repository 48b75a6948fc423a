// A part of a page that changes by itself: drawn again when what it tells of has changed, the focus staying
// where it was.

import { h } from './elements.js';

/**
 * `draw(told)` gives its content, nothing hides it. `other` is where the focus goes when what had it is gone.
 */
export function section(draw, fallbackFocus = () => document.querySelector('h1')) {
  const node = h('section', { class: 'part', hidden: true });
  let lastNews = null;
  return {
    node,
    tell(news) {
      const newsText = JSON.stringify(news);
      if (newsText === lastNews) return;
      lastNews = newsText;
      const focusedKey = node.contains(document.activeElement) ? document.activeElement.dataset.key : null;
      const content = draw(news);
      node.hidden = !content;
      node.replaceChildren(...[content ?? []].flat(Infinity).filter(Boolean));
      if (focusedKey !== null) (node.querySelector(`[data-key="${CSS.escape(focusedKey)}"]`)
        ?? fallbackFocus()).focus({ preventScroll: true });
    },
  };
}
