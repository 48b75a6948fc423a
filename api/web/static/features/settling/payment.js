// One line of the plan: why it is there, how much of it is paid now and how, the code for the payer's phone, the receipt.

import { h, icon } from '../../ui/elements.js';
import { evening, refresh } from '../../core/session_store.js';
import { fieldset, pills } from '../../ui/fields.js';
import { receiver, roleIn } from '../../core/device_storage.js';
import { parse, writerOf } from '../../core/money_format.js';
import { act, go, show, warn } from '../../ui/page.js';
import { person } from '../../ui/player_tokens.js';
import { outOfReach } from '../../core/sync_queue.js';
import { Problem } from '../../core/api_client.js';
import { sync } from '../sync_status.js';
import { t } from '../../core/translator.js';
import { amountTyped } from './amount.js';
import { code } from './payment_code.js';
import { codeFor, habit, keepHabit, methodsOf } from './methods.js';
import { lineOf, planned } from './payment_plan.js';
import { record, underway } from './transfers.js';

/** `argument`: `p2-p3`, who pays whom. */
export async function payment({ id, home, argument, still }) {
  const back = `${home}/settlement`;
  const [from, to] = argument.split('-');
  let plan = await planned(id);
  if (!still()) return null;
  const { currency } = evening();
  const view = { text: null, method: habit(id) ?? usual(id, currency, to), sending: false };
  let line = null;
  let drawn = '';

  /** What the page was drawn from, besides what is typed on it. */
  const basis = () => JSON.stringify([lineOf(plan, { from, to }), view.sending || underway(id), outOfReach()]);

  const draw = (fresh) => {
    line = lineOf(plan, { from, to });
    drawn = basis();
    if (!line) { show({ title: t('settle.payment'), back, fresh, main: [h('p', { class: 'empty' }, t('settle.gone'))], bar: [go('plan', t('settle.to_plan'), back, { big: true })] }); return; }
    const state = evening();
    const money = writerOf(state, [line.amount]);
    const busy = view.sending || underway(id);
    const out = outOfReach();
    const field = h('input', { type: 'text', inputmode: 'decimal', autocomplete: 'off', value: view.text ?? amountTyped(line.amount, currency), 'data-key': 'amount', 'aria-describedby': 'at-most', oninput: () => { view.text = field.value; changed(); } });
    const most = h('small', { class: 'dim', id: 'at-most' }, t('settle.at_most', { amount: money.plain(line.amount) }));
    const receipt = roleIn(id) !== 'viewer' && act('receipt', '', () => pay(wanted(), money), { big: true });
    if (receipt) {
      receipt.append(h('span', {}));
      receipt.disabled = busy; // before it is shown: a focus put on it then would be lost
    }
    const held = codeFor(currency) && code({ id, state, line, money });
    const place = h('div', {});

    function changed() {
      const amount = wanted();
      field.toggleAttribute('aria-invalid', amount === null);
      most.classList.toggle('wrong', amount === null);
      if (receipt) {
        receipt.disabled = amount === null || busy;
        receipt.firstElementChild.textContent = t('settle.receipt', { amount: money.plain(amount ?? line.amount) });
      }
      const shown = held && view.method === codeFor(currency).method;
      place.replaceChildren(...(shown ? [held.node] : []));
      if (shown) held.about(amount);
    }

    show({
      title: t('settle.payment'), back, aside: sync(), kind: 'payment', fresh,
      main: [
        busy && h('p', { class: 'banner' }, t(out ? 'settle.waits' : 'settle.sending')),
        h('p', { class: 'who-whom' }, person(state, from), h('span', { class: 'way' }, h('b', {}, money.plain(line.amount)), icon('arrow'), h('span', { class: 'aside' }, t('money.to'))), person(state, to)),
        h('p', { class: 'said' }, line.why),
        h('label', { class: 'field' }, h('span', {}, t('settle.amount')), field, most),
        methodsOf(currency).length > 0 && fieldset(t('settle.how'), null, pills('method', methodsOf(currency).map((method) => [method, t(`method.${method}`)]), view.method,
          (method) => { view.method = method; keepHabit(id, method); changed(); })),
        place,
      ],
      bar: [receipt],
    });
    changed();
  };

  /** What is being paid now; null when the field holds no amount, or more than is owed. */
  function wanted() {
    const amount = view.text === null ? line.amount : parse(view.text, currency);
    return amount !== null && amount <= line.amount ? amount : null;
  }

  async function pay(amount, money) {
    if (amount === null || view.sending) return;
    view.sending = true;
    draw(false);
    try {
      await record(id, { from, to, amount, method: view.method }, money);
      if (still()) location.replace(back);
    } catch (trouble) {
      if (!(trouble instanceof Problem)) throw trouble;
      await refresh();
      plan = await planned(id).catch(() => plan);
      view.sending = false;
      if (!still()) return;
      draw(false);
      warn(trouble.message);
    }
  }

  draw(true);
  return {
    update: async (state) => {
      if (state.version !== plan.version && !view.sending) plan = await planned(id).catch(() => plan);
      if (!still()) return;
      // A page drawn again would take the keyboard from whoever is typing.
      if (basis() !== drawn) draw(false);
      else document.querySelector('#head .sync')?.replaceWith(sync());
    },
  };
}

/** Whoever has told this phone his number wants it used. */
function usual(id, currency, to) {
  const known = codeFor(currency);
  return known && receiver(id, to) ? known.method : null;
}
