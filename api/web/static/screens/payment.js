// The screen for one payment of the plan: its reason, the amount paid now, the method with its QR code, which
// the payee shows and the payer's banking app scans, and the button that records the transfer. Also has
// the payment methods of each currency.

import { getJson, sessionPath } from '../core/api_client.js';
import { paymentReceiver, readItem, roleInSession, savePaymentReceiver,
  writeItem } from '../core/device_storage.js';
import { Problem } from '../core/request_errors.js';
import { currentSession, keepLatest, sessionState } from '../core/session_store.js';
import { refreshSession } from '../core/session_sync.js';
import { language, sessionMoneyWriter, t } from '../core/translator.js';
import { parseAmount } from '../domain/amounts.js';
import { fetchPlan, isTransferUnderway, planLine, planQuery,
  recordTransfer } from '../features/settling/transfers.js';
import { redrawSyncStatus, syncStatus, unsentNote } from '../features/sync_status.js';
import { buildElement, h } from '../ui/elements.js';
import { fieldError, fieldset, formatTypedAmount, pillGroup } from '../ui/fields.js';
import { actionButton, actionLink, announce, leaveForm, refillPart, showScreen,
  showWarning } from '../ui/page.js';
import { memberName, playerLabel } from '../ui/player_tokens.js';
import { copyButton, qrCode } from '../ui/share_controls.js';
import { paymentArrow } from '../ui/table_view.js';

const INPUT_ATTRIBUTES = {
  number: { type: 'tel' }, name: { type: 'text', autocapitalize: 'words' },
  iban: { type: 'text', autocapitalize: 'characters', spellcheck: 'false' },
};

/**
 * The code for one `line` of the plan. Returns {node, update}: call `update(amount)` at every change of
 * the amount, with null while it is invalid.
 */
function paymentCode({ id, state, line, money, isCurrent }) {
  const { kind, questions } = codeMethod(state.currency);
  const name = memberName(state.players, line.to);
  const node = buildElement(h('section', { class: 'payee-details' })); // filled in when the server answers
  let amount = null;
  let details = paymentReceiver(id, line.to);
  let isAsking = false;
  let requestNumber = 0;

  function update(newAmount) {
    amount = newAmount;
    if (details === null && !isAsking) ask({ name });
    else if (!isAsking) draw(details);
  }

  /** Draws the code for these details of the payee, and stores them once the server has accepted them. */
  async function draw(payeeDetails) {
    requestNumber += 1;
    const ownNumber = requestNumber;
    node.querySelector('.payment-code')?.classList.add('outdated'); // nobody scans the previous amount
    if (amount === null) return;
    try {
      const query = planQuery(id, { kind, amount, lang: language(), ...payeeDetails });
      const answer = await getJson(sessionPath(id, `/settlement/${line.from}/${line.to}/qr${query}`));
      if (ownNumber !== requestNumber) return;
      [details, isAsking] = [payeeDetails, false];
      savePaymentReceiver(id, line.to, payeeDetails);
      show(answer);
      if (answer.amount !== amount) draw(payeeDetails); // the amount has changed during the request
    } catch (error) {
      if (ownNumber !== requestNumber || !isCurrent()) return;
      if (!(error instanceof Problem)) showWarning(t('queue.offline'));
      else if (!showFieldErrors(error.errors, payeeDetails))
        showWarning(error.errors[0]?.detail ?? error.message);
    }
  }

  function showFieldErrors(errors, payeeDetails) {
    const ownErrors = errors.filter(({ pointer }) => questions.includes(pointer.slice(1)));
    if (ownErrors.length > 0 && !isAsking) ask(payeeDetails);
    const form = node.querySelector('form');
    return ownErrors.map(({ pointer, detail }) => fieldError(form, pointer, detail)).some(Boolean);
  }

  function ask(entered) {
    requestNumber += 1;
    isAsking = true;
    const submit = (event) => {
      event.preventDefault();
      fieldError(event.target);
      draw(Object.fromEntries(questions.map((field) => [field, event.target.elements[field].value.trim()])));
    };
    refillPart(node, h('form', { onsubmit: submit, novalidate: true },
      questions.map((field) => h('label', { class: 'field' },
        h('span', {}, t(`payment_code.${field}`, { name })),
        h('input', { ...INPUT_ATTRIBUTES[field], name: field, value: entered[field] ?? '', maxlength: 70,
          autocomplete: 'off', 'data-key': `code-${field}`, 'data-pointer': `?${field}` }))),
      h('p', { class: 'muted' }, t('payment_code.stays')),
      h('button', { type: 'submit', class: 'button', 'data-key': 'code-show' }, t('payment_code.show'))));
  }

  function show(answer) {
    const sum = money.plain(answer.amount);
    const text = (field, kindOfText, words) => h('div', { class: 'field' },
      h('span', { 'aria-hidden': 'true' }, kindOfText),
      copyButton(words, { what: kindOfText, key: `copy-${field}` }));
    const askAgain = (entered) => { ask(entered); node.querySelector('input').focus(); };
    const alt = t('payment_code.alt', { amount: sum, name });
    const appears = node.querySelector('.payment-code') === null;
    const wasFocused = node.contains(document.activeElement);
    refillPart(node,
      h('div', { class: 'payment-code' }, h('bdi', { class: 'name' }, name), h('b', { class: 'sum' }, sum),
        qrCode(answer.qr, alt)),
      h('p', { class: 'muted' }, t(`payment_code.scan.${kind}`)),
      text('amount', t('settle.amount'), formatTypedAmount(answer.amount, state.currency)),
      ...questions.map((field) => text(field, t(`payment_code.${field}`, { name }), details[field])),
      text('message', t('payment_code.message'), messageOfCode(kind, answer.text)),
      h('div', { class: 'button-pair' },
        actionButton('code-change', t('payment_code.change'), () => askAgain(details), { secondary: true }),
        actionButton('code-forget', t('payment_code.forget'),
          () => { savePaymentReceiver(id, line.to, null); details = null; askAgain({ name }); },
          { secondary: true })));
    if (!appears) return;
    announce(alt);
    if (wasFocused) node.querySelector('[data-key=copy-amount]').focus({ preventScroll: true });
    node.querySelector('.payment-code').scrollIntoView({ block: 'center' });
  }

  return { node, update };
}

/** The message that the bank shows, taken from the code's text: a Swish link or the lines of an EPC code. */
const messageOfCode = (kind, text) => (kind === 'swish' ? decodeURIComponent(text.split(';')[2])
  : text.split('\n').at(-1));

/** Per currency: the kind of code, the payment method it is for, and the payee's details that it needs. */
const CODE_METHODS = {
  SEK: { kind: 'swish', method: 'swish', questions: ['number'] },
  EUR: { kind: 'epc', method: 'bank', questions: ['name', 'iban'] },
};

const codeMethod = (currency) => CODE_METHODS[currency] ?? null;

const USUAL_METHODS = { SEK: ['cash', 'swish', 'bank'], DKK: ['cash', 'mobilepay', 'bank'],
  NOK: ['cash', 'vipps', 'bank'], EUR: ['cash', 'bank', 'mobilepay'] };

/** The payment methods of a currency; chips have none. */
const paymentMethods = (currency) => (currency === 'chips' ? []
  : [...(USUAL_METHODS[currency] ?? ['cash', 'bank']), 'other']);

/** The method that this session last used on this device. */
const methodHabit = (id) => readItem(`method.${id}`);
const saveMethodHabit = (id, method) => writeItem(`method.${id}`, method);

/** `argument`: payer and payee, as in `p2-p3`. */
export async function paymentScreen({ id, home, argument, isCurrent }) {
  const backHref = `${home}/settlement`;
  const [payer, payee] = argument.split('-');
  const loadPlan = keepLatest(() => fetchPlan(id));
  let plan = await loadPlan();
  if (!isCurrent()) return null;
  const { currency } = currentSession();
  const view = { text: null, method: methodHabit(id) ?? usualMethod(id, currency, payee), sending: false };
  let line = null;
  let code = null;
  let drawn = '';

  /** Everything that the page is drawn from, except what the user has typed into it. */
  const basis = () => JSON.stringify([
    planLine(plan, { from: payer, to: payee }), view.sending || isTransferUnderway(),
    sessionState().isOutOfReach,
  ]);

  const draw = (fresh = false) => {
    line = planLine(plan, { from: payer, to: payee });
    const isChanged = basis() !== drawn;
    drawn = basis();
    if (!line) {
      showScreen({
        title: t('settle.payment'), backHref, fresh,
        main: [h('p', { class: 'empty' }, t('settle.gone'))],
        bar: [actionLink('plan', t('settle.to_plan'), backHref, { primary: true })],
      });
      return;
    }
    const state = currentSession();
    const money = sessionMoneyWriter(state, [line.amount]);
    const busy = view.sending || isTransferUnderway();
    const amount = enteredAmount();
    if (isChanged) code = codeMethod(currency) && paymentCode({ id, state, line, money, isCurrent });
    const isCodeShown = code && view.method === codeMethod(currency).method;
    showScreen({
      title: t('settle.payment'), backHref, headerEnd: syncStatus(), kind: 'payment', fresh,
      main: [
        busy && unsentNote(view.sending),
        h('p', { class: 'payer-and-payee' }, playerLabel(state, payer),
          paymentArrow(money.plain(line.amount)), playerLabel(state, payee)),
        h('p', { class: 'sentence' }, line.why),
        h('label', { class: 'field' }, h('span', {}, t('settle.amount')),
          h('input', {
            type: 'text', inputmode: 'decimal', autocomplete: 'off', 'data-key': 'amount',
            value: view.text ?? formatTypedAmount(line.amount, currency),
            'aria-invalid': amount === null && 'true',
            oninput: ({ target }) => { view.text = target.value; draw(); },
          }),
          h('small', { class: amount === null ? 'muted wrong' : 'muted' },
            t('settle.at_most', { amount: money.plain(line.amount) }))),
        paymentMethods(currency).length > 0 && fieldset(t('settle.how'), null,
          pillGroup('method', paymentMethods(currency).map((method) => [method, t(`method.${method}`)]),
            view.method, (method) => { view.method = method; saveMethodHabit(id, method); draw(); })),
        isCodeShown && code.node,
      ],
      bar: [roleInSession(id) !== 'viewer'
        && actionButton('receipt', t('settle.receipt', { amount: money.plain(amount ?? line.amount) }),
          () => pay(amount, money), { primary: true, disabled: busy || amount === null })],
    });
    if (isCodeShown) code.update(amount);
  };

  /** Returns the entered amount, or null if it is not a number or more than is owed. */
  function enteredAmount() {
    const amount = view.text === null ? line.amount : parseAmount(view.text, currency);
    return amount !== null && amount <= line.amount ? amount : null;
  }

  async function pay(amount, money) {
    if (amount === null || view.sending) return;
    view.sending = true;
    draw(false);
    try {
      const transfer = { from: payer, to: payee, amount, method: view.method };
      await recordTransfer(id, transfer, money, plan.version);
      if (isCurrent()) leaveForm(backHref);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      await refreshSession();
      plan = await loadPlan({ again: true }).catch(() => plan);
      view.sending = false;
      if (!isCurrent()) return;
      draw(false);
      showWarning(error.message);
    }
  }

  draw(true);
  return {
    update: async (state) => {
      if (state.version !== plan.version && !view.sending) plan = await loadPlan().catch(() => plan);
      if (!isCurrent()) return;
      // Redraws only if something has changed, because a redraw closes the keyboard.
      if (basis() !== drawn) draw(false);
      else redrawSyncStatus();
    },
  };
}

/** Preselects the method with a QR code if this device knows the payee's details. */
function usualMethod(id, currency, payee) {
  const method = codeMethod(currency);
  return method && paymentReceiver(id, payee) ? method.method : null;
}
