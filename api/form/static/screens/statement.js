// Statements to take home: whose, from when to when, in what form; and how to check them without Vola.

import { h } from '../dom.js';
import { dressed } from '../dressed.js';
import { evening } from '../evening.js';
import { fieldset, pills, wrong } from '../fields.js';
import { looking, taking } from '../keeping/taking.js';
import { show } from '../page.js';
import { person } from '../players.js';
import { forPoints } from '../points.js';
import { session } from '../server.js';
import { sync } from '../sync.js';
import { language, t } from '../words.js';

/** In the order in which people at a table want them; `html` opens as a page. */
const FORMS = ['html', 'pdf', 'xlsx', 'excel', 'csv', 'hledger', 'json'];
const BY_LINES = new Set(['csv', 'excel', 'hledger']);
const ASKED = { excel: { format: 'csv', profile: 'excel' } };

export async function statement({ id, home, still }) {
  await dressed('settling');
  if (!still()) return null;
  const wish = { player: null, from: '', to: '', unit: forPoints(evening()) ? 'points' : 'money' };
  const forms = h('ul', { class: 'rows' });
  const main = h('div', { class: 'wishes' });
  let people = 0;

  const address = (form) => session(id, `/statement?${new URLSearchParams({
    format: form, ...ASKED[form], unit: wish.unit, lang: language(), ...clock(),
    ...(wish.player && { player: wish.player }), ...(wish.from && { from: wish.from }), ...(wish.to && { to: wish.to }),
  })}`);
  const called = (ending) => ['vola', id.slice(0, 8), wish.player, `v${evening().version}`].filter(Boolean).join('-') + ending;
  const line = (form) => (form === 'html' ? looking : taking)({
    key: form, title: t(`form.${form}`), what: t(`form.${form}.for`), lines: BY_LINES.has(form), fallback: () => called(`.${form}`),
    address: form === 'html' ? address(form) : () => address(form),
  });

  /** What is wished for is in every address; a period that ends before it begins is none. */
  function changed() {
    wrong(main);
    const backwards = wish.from !== '' && wish.to !== '' && wish.from > wish.to;
    if (backwards) complain();
    forms.hidden = backwards;
    forms.querySelector('[data-key=take-html]').href = address('html');
  }
  const complain = () => {
    const held = document.activeElement;
    wrong(main, 'to', t('statement.backwards'));
    held?.focus({ preventScroll: true });
  };

  const day = (name) => h('label', { class: 'field', 'data-pointer': name }, h('span', {}, t(`statement.${name}`)),
    h('input', { type: 'date', name, value: wish[name], 'data-key': name, onchange: (event) => { wish[name] = event.target.value; changed(); } }));

  function draw(fresh) {
    const state = evening();
    people = state.players.length;
    forms.replaceChildren(...FORMS.map(line));
    const both = forPoints(state) && state.balances !== null;
    main.replaceChildren(...[
      fieldset(t('statement.whose'), null, pills('whose', [[null, t('statement.all')], ...state.players.map(({ id: one }) => [one, person(state, one)])], wish.player, (player) => { wish.player = player; changed(); })),
      fieldset(t('statement.period'), null, h('div', { class: 'fields' }, day('from'), day('to')), h('small', { class: 'dim' }, t('statement.empty'))),
      both && fieldset(t('statement.unit'), null, pills('unit', [['points', t('statement.points')], ['money', t('statement.money')]], wish.unit, (unit) => { wish.unit = unit; changed(); })),
      h('section', {}, h('h2', {}, t('statement.form')), forms),
      checking(),
    ].filter(Boolean));
    show({ title: t('menu.statement'), back: home, aside: sync(), fresh, main: [h('p', { class: 'lead' }, t('statement.what')), main] });
    changed();
  }

  const checking = () => h('section', {}, h('h2', {}, t('check.title')), h('p', {}, t('check.what')), h('ul', { class: 'rows' },
    taking({ key: 'export', title: t('check.export'), what: t('check.export.for'), fallback: () => called('.json'), address: () => session(id, '/export') }),
    looking({ key: 'verify', title: t('check.page'), what: t('check.page.for'), address: `/verify?lang=${language()}` })));

  draw(true);
  return {
    // Nothing here changes with the evening but who is in it; a page drawn again would stop a file on its way.
    update: (state) => {
      if (state.players.length !== people) draw(false);
      else document.querySelector('#head .sync')?.replaceWith(sync());
    },
  };
}

/** The clock on this wall; a phone that does not know where it is leaves it to the server. */
function clock() {
  const tz = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return tz?.includes('/') && !tz.startsWith('Etc/') ? { tz } : {};
}
