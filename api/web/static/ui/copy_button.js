// A text to copy into another app. navigator.clipboard is missing over plain http: there the text is selected
// first and copied by the older command or by hand.

import { t } from '../core/translator.js';
import { h, hiddenText } from './elements.js';
import { actionButton, announce } from './page.js';

/**
 * A field with a text and a button that copies it. `what` names it for screen readers, `key` for tests;
 * `rows` makes it a text area.
 */
export function copyButton(text, { what: label, key, rows = null }) {
  const field =
    h(rows ? 'textarea' : 'input', { ...(rows ? { rows } : { type: 'text' }), readonly: true, value: text,
    'data-key': `${key}-text`, 'aria-label': label });
  const copy = async () => {
    field.focus();
    field.select();
    let isDone;
    try {
      await navigator.clipboard.writeText(text);
      isDone = true;
    } catch {
      isDone = document.execCommand('copy');
    }
    announce(t(isDone ? 'share.copied' : 'share.selected'));
    button.querySelector('span').textContent = t(isDone ? 'share.copied' : 'share.selected');
  };
  const button = actionButton(key, t('share.copy'), copy);
  button.append(hiddenText(label));
  return h('div', { class: rows ? 'copying tall' : 'copying' }, field, button);
}
