// Which part of the circle's life is looked at: all of it, this year, or from one day to another.

import { clock, days } from '../../ui/days.js';
import { fieldset, pills } from '../../ui/fields.js';
import { t } from '../../core/translator.js';

/** As the server is asked: days where this phone is. */
export function asked({ span, from, to }) {
  const wanted = new URLSearchParams(clock());
  if (span === 'year') wanted.set('from', `${new Date().getFullYear()}-01-01`);
  if (span === 'own' && from) wanted.set('from', from);
  if (span === 'own' && to) wanted.set('to', to);
  return wanted.toString();
}

/** Edits `wish` and says when it has `changed`. */
export const period = (wish, changed) => fieldset(t('season.period'), null,
  pills('span', ['all', 'year', 'own'].map((span) => [span, t(`span.${span}`)]), wish.span, (span) => { wish.span = span; changed(); }),
  wish.span === 'own' && days(wish, changed));
