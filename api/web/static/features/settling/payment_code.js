// A code for the payer's phone to read, held out by whoever gets the money; and the same in words to copy.

import { copying } from '../../ui/copy_button.js';
import { h } from '../../ui/elements.js';
import { wrong } from '../../ui/fields.js';
import { keepReceiver, receiver } from '../../core/device_storage.js';
import { warn } from '../../ui/page.js';
import { picture } from '../../ui/qr_code.js';
import { get, Problem, session } from '../../core/api_client.js';
import { language, t } from '../../core/translator.js';
import { amountTyped } from './amount.js';
import { codeFor } from './methods.js';
import { query } from './payment_plan.js';

const KEYBOARD = {
  number: { type: 'tel' }, name: { type: 'text', autocapitalize: 'words' }, iban: { type: 'text', autocapitalize: 'characters', spellcheck: 'false' },
};

/** `line`: who pays whom. `node` to show, `about(amount)` whenever the amount is another; null: none that can be paid. */
export function code({ id, state, line, money }) {
  const { kind, asks } = codeFor(state.currency);
  const name = state.players.find((player) => player.id === line.to)?.name ?? line.to;
  const node = h('section', { class: 'receiving' });
  let amount = null;
  let details = receiver(id, line.to);
  let asking = false;
  let turn = 0;

  function about(wanted) {
    amount = wanted;
    if (details === null && !asking) ask({ name });
    else if (!asking) draw(details);
  }

  /** The code for these details; they are kept as soon as the server could read them. */
  async function draw(wish) {
    turn += 1;
    const mine = turn;
    node.querySelector('.held-out')?.classList.add('old'); // the code of another amount must not be read
    if (amount === null) return;
    try {
      const answer = await get(session(id, `/settlement/${line.from}/${line.to}/qr${query(id, { kind, amount, lang: language(), ...wish })}`));
      if (mine !== turn) return;
      [details, asking] = [wish, false];
      keepReceiver(id, line.to, wish);
      show(answer);
      if (answer.amount !== amount) draw(wish); // changed while the answer was on its way
    } catch (trouble) {
      if (mine !== turn) return;
      if (!(trouble instanceof Problem)) warn(t('queue.offline'));
      else if (!complained(trouble.errors, wish)) warn(trouble.errors[0]?.detail ?? trouble.message);
    }
  }

  function complained(errors, wish) {
    const mine = errors.filter(({ pointer }) => asks.includes(pointer.slice(1)));
    if (mine.length > 0 && !asking) ask(wish);
    return mine.map(({ pointer, detail }) => wrong(node.querySelector('form'), pointer, detail)).some(Boolean);
  }

  function ask(given) {
    turn += 1;
    asking = true;
    const submit = (event) => {
      event.preventDefault();
      wrong(event.target);
      draw(Object.fromEntries(asks.map((field) => [field, event.target.elements[field].value.trim()])));
    };
    node.replaceChildren(h('form', { onsubmit: submit, novalidate: true },
      asks.map((field) => h('label', { class: 'field' }, h('span', {}, t(`code.${field}`, { name })),
        h('input', { ...KEYBOARD[field], name: field, value: given[field] ?? '', maxlength: 70, autocomplete: 'off', 'data-key': `code-${field}`, 'data-pointer': `?${field}` }))),
      h('p', { class: 'dim' }, t('code.stays')),
      h('button', { type: 'submit', class: 'button', 'data-key': 'code-show' }, t('code.show'))));
  }

  function show(answer) {
    const sum = money.plain(answer.amount);
    const text = (field, what, words) => h('div', { class: 'field' }, h('span', { 'aria-hidden': 'true' }, what), copying(words, { what, key: `copy-${field}` }));
    const button = (key, words, onclick) => h('button', { type: 'button', class: 'button quiet', 'data-key': key, onclick }, words);
    const askAgain = (given) => { ask(given); node.querySelector('input').focus(); };
    const appears = node.querySelector('.held-out') === null;
    node.replaceChildren(
      h('div', { class: 'held-out' }, h('bdi', { class: 'name' }, name), h('b', { class: 'sum' }, sum), picture(answer.qr, t('code.alt', { amount: sum, name }))),
      h('p', { class: 'dim' }, t(`code.scan.${kind}`)),
      text('amount', t('settle.amount'), amountTyped(answer.amount, state.currency)),
      ...asks.map((field) => text(field, t(`code.${field}`, { name }), details[field])),
      text('message', t('code.message'), messageIn(kind, answer.text)),
      h('div', { class: 'pair' },
        button('code-change', t('code.change'), () => askAgain(details)),
        button('code-forget', t('code.forget'), () => { keepReceiver(id, line.to, null); details = null; askAgain({ name }); })));
    if (appears) node.querySelector('.held-out').scrollIntoView({ block: 'center' });
  }

  return { node, about };
}

/** What the bank will show as the message: read from the code itself, as both kinds write it. */
const messageIn = (kind, text) => (kind === 'swish' ? decodeURIComponent(text.split(';')[2]) : text.split('\n').at(-1));
