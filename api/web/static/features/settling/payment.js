// The screen for one payment of the plan: its reason, the amount paid now, the method with its QR code, and
// the button that records the transfer.

import { paymentReceiver, roleInSession } from '../../core/device_storage.js';
import { Problem } from '../../core/request_errors.js';
import { currentSession, sessionState } from '../../core/session_store.js';
import { refreshSession } from '../../core/session_sync.js';
import { sessionMoneyWriter, t } from '../../core/translator.js';
import { parseAmount } from '../../domain/amounts.js';
import { h, icon } from '../../ui/elements.js';
import { fieldset, pillGroup } from '../../ui/fields.js';
import { actionButton, actionLink, showScreen, showWarning } from '../../ui/page.js';
import { playerLabel } from '../../ui/player_tokens.js';
import { syncStatus } from '../sync_status.js';
import { codeMethod, formatTypedAmount, methodHabit, paymentCode, paymentMethods,
  saveMethodHabit } from './payment_code.js';
import { fetchPlan, planLine } from './payment_plan.js';
import { isTransferUnderway, recordTransfer } from './transfers.js';

/** `argument`: payer and payee, as in `p2-p3`. */
export async function paymentCard({ id, home, argument, isCurrent }) {
  const backHref = `${home}/settlement`;
  const [payer, payee] = argument.split('-');
  let plan = await fetchPlan(id);
  if (!isCurrent()) return null;
  const { currency } = currentSession();
  const view = { text: null, method: methodHabit(id) ?? usualMethod(id, currency, payee), sending: false };
  let line = null;
  let drawn = '';

  /** Everything that the page is drawn from, except what the user has typed into it. */
  const basis = () => JSON.stringify([
    planLine(plan, { from: payer, to: payee }), view.sending || isTransferUnderway(),
    sessionState().isOutOfReach,
  ]);

  const draw = (fresh) => {
    line = planLine(plan, { from: payer, to: payee });
    drawn = basis();
    if (!line) {
      showScreen({
        title: t('settle.payment'), backHref, fresh,
        main: [h('p', { class: 'empty' }, t('settle.gone'))],
        bar: [actionLink('plan', t('settle.to_plan'), backHref, { big: true })],
      });
      return;
    }
    const state = currentSession();
    const money = sessionMoneyWriter(state, [line.amount]);
    const busy = view.sending || isTransferUnderway();
    const isOffline = sessionState().isOutOfReach;
    const field = h('input', {
      type: 'text', inputmode: 'decimal', autocomplete: 'off',
      value: view.text ?? formatTypedAmount(line.amount, currency), 'data-key': 'amount',
      'aria-describedby': 'at-most', oninput: () => { view.text = field.value; changed(); },
    });
    const maxNote = h('small', { class: 'dim', id: 'at-most' },
      t('settle.at_most', { amount: money.plain(line.amount) }));
    const receipt = roleInSession(id) !== 'viewer'
      && actionButton('receipt', '', () => pay(enteredAmount(), money), { big: true });
    if (receipt) {
      receipt.append(h('span', {}));
      receipt.disabled = busy; // before it is shown: disabling it later would drop the focus
    }
    const code = codeMethod(currency) && paymentCode({ id, state, line, money });
    const place = h('div', {});

    function changed() {
      const amount = enteredAmount();
      field.toggleAttribute('aria-invalid', amount === null);
      maxNote.classList.toggle('wrong', amount === null);
      if (receipt) {
        receipt.disabled = amount === null || busy;
        const shownAmount = money.plain(amount ?? line.amount);
        receipt.firstElementChild.textContent = t('settle.receipt', { amount: shownAmount });
      }
      const isCodeShown = code && view.method === codeMethod(currency).method;
      place.replaceChildren(...(isCodeShown ? [code.node] : []));
      if (isCodeShown) code.about(amount);
    }

    showScreen({
      title: t('settle.payment'), backHref, headerEnd: syncStatus(), kind: 'payment', fresh,
      main: [
        busy && h('p', { class: 'banner' }, t(isOffline ? 'settle.waits' : 'settle.sending')),
        h('p', { class: 'who-whom' }, playerLabel(state, payer),
          h('span', { class: 'way' }, h('b', {}, money.plain(line.amount)), icon('arrow'),
          h('span', { class: 'aside' }, t('money.to'))), playerLabel(state, payee)),
        h('p', { class: 'said' }, line.why),
        h('label', { class: 'field' }, h('span', {}, t('settle.amount')), field, maxNote),
        paymentMethods(currency).length > 0 && fieldset(t('settle.how'), null,
          pillGroup('method', paymentMethods(currency).map((method) => [method, t(`method.${method}`)]),
            view.method, (method) => { view.method = method; saveMethodHabit(id, method); changed(); })),
        place,
      ],
      bar: [receipt],
    });
    changed();
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
      await recordTransfer(id, { from: payer, to: payee, amount, method: view.method }, money);
      if (isCurrent()) location.replace(backHref);
    } catch (trouble) {
      if (!(trouble instanceof Problem)) throw trouble;
      await refreshSession();
      plan = await fetchPlan(id).catch(() => plan);
      view.sending = false;
      if (!isCurrent()) return;
      draw(false);
      showWarning(trouble.message);
    }
  }

  draw(true);
  return {
    update: async (state) => {
      if (state.version !== plan.version && !view.sending) plan = await fetchPlan(id).catch(() => plan);
      if (!isCurrent()) return;
      // Redraws only if something has changed, because a redraw closes the keyboard.
      if (basis() !== drawn) draw(false);
      else document.querySelector('#head .sync')?.replaceWith(syncStatus());
    },
  };
}

/** Preselects the method with a QR code if this device knows the payee's details. */
function usualMethod(id, currency, payee) {
  const method = codeMethod(currency);
  return method && paymentReceiver(id, payee) ? method.method : null;
}
