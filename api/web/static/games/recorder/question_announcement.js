// Says to a screen reader what was recorded and what is asked next.

import { announce } from '../../ui/page.js';

/** Announces the words and the question on the screen; the words alone where the focus reads the question. */
export function announceWithQuestion(words) {
  const question = document.querySelector('.question');
  announce(question === document.activeElement ? words
    : `${words.replace(/\.$/, '')}. ${question.firstChild.data}`);
}
