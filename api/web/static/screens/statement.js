// Statements of an evening to take home: whose, from when to when, in what form; and how to check them without Vola.

import { h } from '../ui/elements.js';
import { dressed } from '../core/stylesheets.js';
import { evening } from '../core/session_store.js';
import { fieldset, pills } from '../ui/fields.js';
import { taking } from '../ui/taking.js';
import { checkingPage, wished, wishing } from '../features/statement_form.js';
import { show } from '../ui/page.js';
import { person } from '../ui/player_tokens.js';
import { forPoints } from '../domain/points.js';
import { session } from '../core/api_client.js';
import { sync } from '../features/sync_status.js';
import { t } from '../core/translator.js';

export async function statement({ id, home, still }) {
  await dressed('settling');
  if (!still()) return null;
  const wish = { ...wished(), unit: forPoints(evening()) ? 'points' : 'money' };
  const called = (ending) => `${evening().title ?? t('start.untitled')}${ending}`;
  const units = (changed) => forPoints(evening()) && evening().balances !== null && fieldset(t('statement.unit'), null,
    pills('unit', [['points', t('statement.points')], ['money', t('statement.money')]], wish.unit, (unit) => { wish.unit = unit; changed(); }));
  const wishes = wishing(wish, {
    all: t('statement.all'),
    people: () => evening().players.map((one) => [one.id, person(evening(), one.id)]),
    more: units,
    about: () => ({ unit: wish.unit, ...(wish.whose && { player: wish.whose }) }),
    at: (rest) => session(id, rest),
    called,
    checks: () => [h('p', {}, t('check.what')), checkingPage(
      taking({ key: 'export', title: t('check.export'), what: t('check.export.for'), fallback: () => called('.json'), address: () => session(id, '/export') }))],
  });
  let people = 0;

  function draw(fresh) {
    people = evening().players.length;
    wishes.draw();
    show({ title: t('menu.statement'), back: home, aside: sync(), fresh, main: [h('p', { class: 'lead' }, t('statement.what')), wishes.node] });
  }
  draw(true);
  return {
    // Nothing here changes with the evening but who is in it; a page drawn again would stop a file on its way.
    update: (state) => {
      if (state.players.length !== people) draw(false);
      else document.querySelector('#head .sync')?.replaceWith(sync());
    },
  };
}
