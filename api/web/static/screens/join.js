// Coming in without a link: the code that the host says, and what this phone is called. The code only finds the door.

import { keyed, told, write } from '../features/groups/group_client.js';
import { h } from '../ui/elements.js';
import { dressed } from '../core/stylesheets.js';
import { wrong } from '../ui/fields.js';
import { recall, remember } from '../core/device_storage.js';
import { act, show } from '../ui/page.js';
import { Problem } from '../core/api_client.js';
import { t } from '../core/translator.js';
import { LENGTH, typed } from '../features/access/code.js';
import { waiting } from './join_waiting.js';

export async function coming({ still }) {
  await dressed('door');
  if (!still()) return null;
  const kept = recall('knock'); // a reload while somebody waits: the same request again is the same knock
  const knocked = kept && await knock(kept).catch((trouble) => {
    if (trouble instanceof Problem) remember('knock', null);
    return null;
  });
  if (!still()) return null;
  const wish = { code: kept?.code ?? '', label: kept?.label ?? '' };
  const ask = () => asking(wish, still);
  if (knocked) waiting({ wish, knocked, still, again: ask });
  else ask();
  return {};
}

/** What is kept of a knock is no token: it is worth something only while the code is, and goes with the answer. */
const knock = ({ key, code, label }) => write('/v1/knocks', { code, label }, { key });

function asking(wish, still) {
  const key = keyed();
  const code = h('input', {
    type: 'text', class: 'code-typed', value: wish.code, autocomplete: 'off', autocapitalize: 'characters', autocorrect: 'off', spellcheck: 'false',
    enterkeyhint: 'next', 'data-key': 'knock-code', 'data-pointer': '/code', oninput: () => tidy(code),
  });
  const label = h('input', {
    type: 'text', value: wish.label, maxlength: 40, autocomplete: 'off', autocapitalize: 'words', enterkeyhint: 'send',
    placeholder: t('door.label_example'), 'data-key': 'knock-label', 'data-pointer': '/label',
  });
  const form = h('form', {
    class: 'asking', novalidate: true, oninput: () => wrong(form),
    onsubmit: (event) => { event.preventDefault(); submit(); },
    onkeydown: (event) => {
      if (event.key !== 'Enter') return;
      if (event.target === code) { event.preventDefault(); label.focus(); } else if (event.target === label) form.requestSubmit();
    },
  },
  h('p', { class: 'lead' }, t('door.what')),
  h('label', { class: 'field' }, h('span', {}, t('door.code')), code),
  h('label', { class: 'field' }, h('span', {}, t('door.label')), label, h('small', { class: 'dim' }, t('door.label_what'))));

  async function submit() {
    Object.assign(wish, { code: typed(code.value), label: label.value.trim() });
    wrong(form);
    if (wish.code.length < LENGTH) { wrong(form, '/code', t('door.code_short', { count: LENGTH })); return; }
    if (wish.label === '') { wrong(form, '/label', t('door.label_missing')); return; }
    const before = recall('knock');
    const again = before?.code === wish.code && before.label === wish.label;
    const asked = again ? before : { key: key({ code: wish.code, label: wish.label }), code: wish.code, label: wish.label };
    try {
      const knocked = await knock(asked);
      remember('knock', asked);
      if (still()) waiting({ wish, knocked, still, again: () => asking(wish, still) });
    } catch (trouble) {
      const known = trouble instanceof Problem;
      if (known && trouble.code === 'unknown_code') wrong(form, '/code', trouble.message);
      else if (!known || !trouble.errors.some(({ pointer, detail }) => wrong(form, pointer, detail))) told(trouble);
    }
  }

  show({
    title: t('door.title'), back: '#/', fresh: true, main: [form],
    bar: [act('knock', t('door.knock'), () => form.requestSubmit(), { big: true })],
  });
}

/** Upper case and no gaps as it is typed; the caret stays where it was. */
function tidy(field) {
  const before = typed(field.value.slice(0, field.selectionStart)).length;
  const clean = typed(field.value);
  if (field.value === clean) return;
  field.value = clean;
  field.setSelectionRange(before, before);
}
