// Names in the order they sit. Enter goes on to the next, the last Enter goes on with the evening.

import { h, icon } from '../ui/elements.js';
import { initial, marker } from '../ui/player_tokens.js';
import { t } from '../core/translator.js';

/** Edits `names` in place. */
export function lineup({ names, min, max, hueAt, changed, onward }) {
  const box = h('div', { class: 'lineup', 'data-pointer': '/players' });

  const draw = (focus = null) => {
    box.replaceChildren(h('ol', {}, names.map((name, index) => row(name, index))),
      ...(names.length < max ? [h('button', { type: 'button', class: 'button quiet', 'data-key': 'add', onclick: () => add() },
        icon('plus'), h('span', {}, t('opening.add')))] : []));
    if (focus !== null) box.querySelectorAll('input')[focus]?.focus();
    changed();
  };

  const add = () => { names.push(''); draw(names.length - 1); };

  const on = (index) => {
    const inputs = box.querySelectorAll('input');
    if (index + 1 < names.length) inputs[index + 1].focus();
    else if (names.length < max && names[index].trim() !== '' && names.length < min) add();
    else onward();
  };

  function row(name, index) {
    const face = h('span', { class: 'face' });
    const up = h('button', { type: 'button', class: 'round', disabled: index === 0,
      onclick: () => { names.splice(index - 1, 0, ...names.splice(index, 1)); draw(index - 1); } }, icon('up'));
    const off = h('button', { type: 'button', class: 'round', disabled: names.length <= min,
      onclick: () => { names.splice(index, 1); draw(Math.max(0, index - 1)); } }, icon('cross'));
    const paint = () => {
      const called = names[index].trim() || String(index + 1);
      face.replaceChildren(marker(hueAt(index), initial(names[index], names)));
      up.setAttribute('aria-label', t('opening.up', { name: called }));
      off.setAttribute('aria-label', t('opening.remove', { name: called }));
    };
    const input = h('input', {
      type: 'text', value: name, maxlength: 40, autocomplete: 'off', autocapitalize: 'words', spellcheck: 'false', enterkeyhint: 'next',
      placeholder: t('opening.name'), 'aria-label': t('opening.seat', { number: index + 1 }), 'data-pointer': `/players/${index}/name`,
      oninput: (event) => { names[index] = event.target.value; paint(); changed(); },
      onkeydown: (event) => { if (event.key === 'Enter') { event.preventDefault(); on(index); } },
    });
    paint();
    return h('li', {}, face, input, up, off);
  }

  draw();
  return box;
}
