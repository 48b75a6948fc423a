// A part of a page that updates itself: it is redrawn when its data has changed, and keeps the focus.

import { buildElement, h } from './elements.js';
import { refillPart } from './page.js';

/** `draw(news)` returns the content, or nothing to hide the part. */
export function section(draw) {
  const node = buildElement(h('section', { class: 'part', hidden: true }));
  let lastNews = null;
  return {
    node,
    tell(news) {
      const newsText = JSON.stringify(news);
      if (newsText === lastNews) return;
      lastNews = newsText;
      const content = draw(news);
      node.hidden = !content;
      refillPart(node, content);
    },
  };
}
