// What a statement is wished of: whose, from when to when, in what form. Asked alike of an evening and of a
// circle.

import { language, t } from '../core/translator.js';
import { h } from '../ui/elements.js';
import { clockTime, dayFields, fieldError, fieldset, pillGroup } from '../ui/fields.js';
import { downloadRow, previewRow } from '../ui/file_download.js';

/** In the order in which people at a table want them; `html` opens as a page. */
const FORMATS = ['html', 'pdf', 'xlsx', 'excel', 'csv', 'hledger', 'json'];
const LINE_FORMATS = new Set(['csv', 'excel', 'hledger']);
const STATEMENT_FIELDS = { excel: { format: 'csv', profile: 'excel' } };

export const statementQuery = () => ({ whose: null, from: '', to: '' });

/**
 * Edits `wish`. `all` and `people()`: everybody in a word, and each with his id. `more(changed)`: what is
 * asked besides, again
 * for another period; `about()`: what of it stands in the address `at(rest)`. `called(ending)` names a file
 * that the server does not.
 */
export function statementForm(wish, { all: everyoneLabel, people, more: extraFields, about: note,
  at: addressOf, called: fileNameOf, checks }) {
  const forms = h('ul', { class: 'rows' });
  const further = h('div', {});
  const node = h('div', { class: 'wishes' });

  const address = (form) => addressOf(`/statement?${new URLSearchParams({
    format: form, ...STATEMENT_FIELDS[form], lang: language(), ...clockTime(), ...note(),
    ...(wish.from && { from: wish.from }), ...(wish.to && { to: wish.to }),
  })}`);
  const line = (form) => (form === 'html' ? previewRow : downloadRow)({
    key: form, title: t(`form.${form}`), what: t(`form.${form}.for`), lines: LINE_FORMATS.has(form),
    fallback: () => fileNameOf(`.${form}`),
    address: form === 'html' ? address(form) : () => address(form),
  });

  /** What is wished for is in every address; a period that ends before it begins is none. */
  function changed() {
    fieldError(node);
    const backwards = wish.from !== '' && wish.to !== '' && wish.from > wish.to;
    if (backwards) complain();
    forms.hidden = backwards;
    forms.querySelector('[data-key=take-html]').href = address('html');
  }
  const complain = () => {
    const focused = document.activeElement;
    fieldError(node, 'to', t('statement.backwards'));
    focused?.focus({ preventScroll: true });
  };

  function periodChanged() {
    const fields = extraFields(changed);
    further.hidden = !fields;
    further.replaceChildren(...(fields ? [fields] : []));
    changed();
  }

  function draw() {
    forms.replaceChildren(...FORMATS.map(line));
    node.replaceChildren(
      fieldset(t('statement.whose'), null, pillGroup('whose', [[null, everyoneLabel], ...people()],
        wish.whose,
        (id) => { wish.whose = id; changed(); })),
      fieldset(t('statement.period'), null, dayFields(wish, periodChanged),
        h('small', { class: 'dim' }, t('statement.empty'))),
      further,
      h('section', {}, h('h2', {}, t('statement.form')), forms),
      h('section', {}, h('h2', {}, t('check.title')), checks()));
    periodChanged();
  }

  return { node, draw };
}

/** The way to the page that checks what was taken home, after what else there is for it. */
export const verifyPageLink = (...extraRows) => h('ul', { class: 'rows' }, extraRows,
  previewRow({ key: 'verify', title: t('check.page'), what: t('check.page.for'),
    address: `/verify?lang=${language()}` }));
