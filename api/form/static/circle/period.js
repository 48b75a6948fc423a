// Which part of the circle's life is looked at: all of it, this year, or from one day to another.

import { h } from '../dom.js';
import { fieldset, pills } from '../fields.js';
import { t } from '../words.js';

const two = (number) => String(number).padStart(2, '0');
const day = (date) => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;

/** As the server is asked: days where this phone is. */
export function asked({ span, from, to }) {
  const wanted = new URLSearchParams({ tz: Intl.DateTimeFormat().resolvedOptions().timeZone });
  if (span === 'year') wanted.set('from', `${new Date().getFullYear()}-01-01`);
  if (span === 'own' && from) wanted.set('from', from);
  if (span === 'own' && to) wanted.set('to', to);
  return wanted.toString();
}

/** Edits `wish` and says when it has `changed`. */
export function period(wish, changed) {
  const date = (which, words) => h('label', { class: 'field' }, h('span', {}, words),
    h('input', { type: 'date', value: wish[which], max: day(new Date()), 'data-key': which, onchange: (event) => { wish[which] = event.target.value; changed(); } }));
  return fieldset(t('season.period'), null,
    pills('span', ['all', 'year', 'own'].map((span) => [span, t(`span.${span}`)]), wish.span, (span) => { wish.span = span; changed(); }),
    wish.span === 'own' && h('div', { class: 'fields' }, date('from', t('statement.from')), date('to', t('statement.to'))));
}
