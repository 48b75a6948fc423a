// Names on a list, in no order: written one after another, each with a way off it.

import { h, icon } from './elements.js';
import { wrong } from './fields.js';
import { act } from './page.js';
import { initial, marker, same } from './player_tokens.js';
import { t } from '../core/translator.js';

/** Edits `names` in place. Stands in a form that clears its complaints at every letter. `rest()` is what stands in the field and is not on the list yet. */
export function roll(names) {
  const list = h('ul', { class: 'roll', 'data-pointer': '/members' });
  const field = h('input', { type: 'text', maxlength: 40, autocomplete: 'off', autocapitalize: 'words', spellcheck: 'false', enterkeyhint: 'next',
    placeholder: t('opening.name'), 'aria-label': t('circle.new_member'), 'data-key': 'member',
    onkeydown: (event) => { if (event.key === 'Enter' && field.value.trim() !== '') { event.preventDefault(); add(); } } });

  function add() {
    const name = field.value.trim();
    field.focus();
    if (name === '') return;
    if (names.some((one) => same(one, name))) { // the next letter takes the complaint away, as any other
      wrong(node);
      node.append(h('p', { class: 'wrong', role: 'alert' }, t('opening.same_name')));
      return;
    }
    names.push(name);
    field.value = '';
    draw();
  }

  const draw = () => list.replaceChildren(...names.map((name, index) => h('li', { class: 'one' },
    marker(index, initial(name, names)), h('bdi', { class: 'name', 'data-pointer': `/members/${index}/name` }, name),
    h('button', { type: 'button', class: 'round', 'aria-label': t('opening.remove', { name }),
      onclick: () => { names.splice(index, 1); draw(); field.focus(); } }, icon('cross')))));

  const node = h('div', { class: 'enrolling' }, list, h('div', { class: 'copying' }, field, act('member-add', t('seating.add'), add)));
  draw();
  return { node, rest: () => field.value.trim() };
}
