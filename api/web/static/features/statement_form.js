// The form for a statement of a session or a group: whose, for which period, in which file format.

import { language, t } from '../core/translator.js';
import { h } from '../ui/elements.js';
import { clockTime, dayFields, fieldError, fieldset, pillGroup } from '../ui/fields.js';
import { downloadRow, previewRow } from '../ui/file_download.js';

/** The most wanted first; `html` opens as a page. */
const FORMATS = ['html', 'pdf', 'xlsx', 'excel', 'csv', 'hledger', 'json'];
const LINE_FORMATS = new Set(['csv', 'excel', 'hledger']);
const STATEMENT_FIELDS = { excel: { format: 'csv', profile: 'excel' } };

export const statementQuery = () => ({ whose: null, from: '', to: '' });

/**
 * Edits `wish`: {whose, from, to}, with an id or null for everyone, and dates or ''. `all` is the label for
 * everyone, `people()` lists [id, label] of each person. `more(changed)` returns further fields, again for
 * every period, and `about()` their query parameters. `at(rest)` makes an address, `called(ending)` a file
 * name in case the server gives none, `checks()` the content of the last section.
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

  /** Puts the choices into the addresses, or complains about a period that ends before it begins. */
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
        wish.whose, (id) => { wish.whose = id; changed(); })),
      fieldset(t('statement.period'), null, dayFields(wish, periodChanged),
        h('small', { class: 'dim' }, t('statement.empty'))),
      further,
      h('section', {}, h('h2', {}, t('statement.form')), forms),
      h('section', {}, h('h2', {}, t('check.title')), checks()));
    periodChanged();
  }

  return { node, draw };
}

/** A link to the page that verifies downloaded files, after `extraRows`. */
export const verifyPageLink = (...extraRows) => h('ul', { class: 'rows' }, extraRows,
  previewRow({ key: 'verify', title: t('check.page'), what: t('check.page.for'),
    address: `/verify?lang=${language()}` }));
