// A part of a page that updates itself: it is redrawn when its data has changed, and keeps the focus.

import { h } from './elements.js';

/**
 * `draw(news)` returns the content, or nothing to hide the part. `fallbackFocus` returns the element that
 * gets the focus when the focused one is gone.
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
