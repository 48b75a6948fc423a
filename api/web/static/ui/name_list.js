// A list of names, each with a button that removes it.

import { t } from '../core/translator.js';
import { h, icon } from './elements.js';
import { fieldError } from './fields.js';
import { actionButton } from './page.js';
import { isSameName, playerToken, tokenLetters } from './player_tokens.js';

/**
 * Edits `names` in place. The form around it clears errors at every letter. `rest()` returns the text in the
 * field that is not on the list yet.
 */
export function nameList(names) {
  const list = h('ul', { class: 'roll', 'data-pointer': '/members' });
  const field =
    h('input', { type: 'text', maxlength: 40, autocomplete: 'off', autocapitalize: 'words',
    spellcheck: 'false', enterkeyhint: 'next',
    placeholder: t('opening.name'), 'aria-label': t('circle.new_member'), 'data-key': 'member',
    onkeydown: (event) => { if (event.key === 'Enter'
      && field.value.trim() !== '') { event.preventDefault(); add(); } } });

  function add() {
    const name = field.value.trim();
    field.focus();
    if (name === '') return;
    // The next letter removes the error, as in any other field.
    if (names.some((listed) => isSameName(listed, name))) {
      fieldError(node);
      node.append(h('p', { class: 'wrong', role: 'alert' }, t('opening.same_name')));
      return;
    }
    names.push(name);
    field.value = '';
    draw();
  }

  const draw = () => list.replaceChildren(...names.map((name, index) => h('li', { class: 'one' },
    playerToken(index, tokenLetters(name, names)),
    h('bdi', { class: 'name', 'data-pointer': `/members/${index}/name` }, name),
    h('button', { type: 'button', class: 'round', 'aria-label': t('opening.remove', { name }),
      onclick: () => { names.splice(index, 1); draw(); field.focus(); } }, icon('cross')))));

  const node =
    h('div', { class: 'enrolling' }, list, h('div', { class: 'copying' }, field,
    actionButton('member-add', t('seating.add'), add)));
  draw();
  return { node, rest: () => field.value.trim() };
}
