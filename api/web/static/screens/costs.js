// Shared costs: what one player paid for several. Records one, lists them all, and corrects one or takes it
// back.

import { getAllItems, sessionPath } from '../core/api_client.js';
import { deviceOwner, roleInSession } from '../core/device_storage.js';
import { currentSession, playerName, sessionState } from '../core/session_store.js';
import { untilForecastSuffices, writeToSession } from '../core/session_sync.js';
import { loadAllSentences, sessionMoneyWriter, t } from '../core/translator.js';
import { nextCostNumber } from '../domain/cost_division.js';
import { costBody, costEntry, costFields } from '../features/cost_form.js';
import { redrawSyncStatus, syncStatus, tableLink } from '../features/sync_status.js';
import { h, icon } from '../ui/elements.js';
import { actionButton, announce, showRefusal, showScreen } from '../ui/page.js';
import { tokenOfPlayer } from '../ui/player_tokens.js';

/** `argument`: the number of a cost to correct; without it, the form is for a new one. */
export async function costsScreen({ id, home, argument = '', isCurrent }) {
  if (currentSession().balances === null) { location.replace(home); return null; }
  // Without a network the list shows no purposes: a phone does not keep them.
  const fetchPurposes = () => getAllItems(sessionPath(id, '/costs'), 'costs')
    .then((costs) => new Map(costs.map(({ number, purpose }) => [number, purpose])), () => new Map());
  let [purposes] = await Promise.all([fetchPurposes(), loadAllSentences()]);
  if (!isCurrent()) return null;
  const correctedCost = findCost(currentSession(), argument);
  const view = { sending: false,
    entry: costEntry(currentSession(), deviceOwner(id), correctedCost, purposes.get(correctedCost?.number)) };
  const basis = () => JSON.stringify([currentSession().version, currentSession().players,
    sessionState().waiting.length, view.sending]);
  let drawn = '';

  function draw(fresh = false) {
    drawn = basis();
    const state = currentSession();
    const mayWrite = state.status === 'open' && roleInSession(id) !== 'viewer';
    const number = correctedCost?.number ?? nextCostNumber(state);
    const body = costBody(state, view.entry);
    showScreen({
      title: correctedCost ? t('cost.correct', { number }) : t('menu.costs'),
      backHref: correctedCost ? `${home}/costs` : home, headerEnd: syncStatus(), fresh,
      main: [
        state.status === 'closed' && h('p', { class: 'banner' }, t('cost.closed')),
        mayWrite && costFields(state, view.entry, number, () => draw()),
        !correctedCost && costList(state, { purposes, home, mayWrite, onVoid: voidCost }),
      ],
      bar: [mayWrite ? actionButton('record-cost', recordLabel(state, body), () => record(number),
        { primary: true, disabled: body === null || view.sending }) : tableLink(home, false)],
    });
  }

  async function record(number) {
    const body = costBody(currentSession(), view.entry);
    if (body === null) return;
    const amount = sessionMoneyWriter(currentSession(), [body.amount]).plain(body.amount);
    const words = t('cost.recorded', { name: playerName(body.payer), amount });
    const note = { what: words, ...(!correctedCost && { cost: number }) };
    await send(words, async () => {
      if (correctedCost) {
        await writeToSession(`/costs/${number}`, body, { method: 'PUT', note });
        return;
      }
      const queued = writeToSession('/costs', body, { ifMatch: null, note });
      await Promise.race([queued, untilForecastSuffices(note)]);
      view.entry = costEntry(currentSession(), deviceOwner(id));
    });
  }

  function voidCost(number) {
    const words = t('cost.is_voided', { number });
    return send(words, () => writeToSession(`/costs/${number}`, undefined,
      { method: 'DELETE', note: { what: words } }));
  }

  async function send(words, write) {
    if (view.sending) return;
    view.sending = true;
    draw();
    try {
      await write();
    } catch (trouble) {
      view.sending = false;
      await showRefusal(trouble, () => isCurrent() && draw());
      return;
    }
    view.sending = false;
    if (!isCurrent()) return;
    announce(words);
    if (correctedCost) location.replace(`${home}/costs`);
    else {
      purposes = await fetchPurposes();
      if (isCurrent()) draw();
    }
  }

  draw(true);
  return {
    update: async () => {
      if (basis() === drawn) { redrawSyncStatus(); return; }
      draw(); // what is typed stays
      purposes = await fetchPurposes();
      if (isCurrent()) draw();
    },
  };
}

const findCost = ({ costs = [] }, argument) =>
  costs.find(({ number }) => String(number) === argument) ?? null;

const recordLabel = (state, body) => (body === null ? t('cost.record')
  : t('cost.record_amount', { amount: sessionMoneyWriter(state, [body.amount]).plain(body.amount) }));

/** All costs, latest first. One that waits here can only be changed once it is sent. */
function costList(state, { purposes, home, mayWrite, onVoid }) {
  const costs = (state.costs ?? []).toReversed();
  const mayChange = mayWrite && sessionState().waiting.length === 0;
  const money = sessionMoneyWriter(state, costs.map(({ amount }) => amount));
  return h('section', {}, h('h2', {}, t('cost.list')),
    costs.length === 0 ? h('p', { class: 'empty' }, t('cost.none'))
      : h('ol', { class: 'rows', reversed: true }, costs.map((cost) => {
        const { number, payer, amount, status } = cost;
        const isVoided = status === 'voided';
        return h('li', { class: 'row', 'data-cost': number, 'data-status': status },
          tokenOfPlayer(state, payer),
          h('span', { class: 'row-name' },
            h('span', { class: 'sentence' }, [`${number}.`, purposes.get(number)].filter(Boolean).join(' ')),
            h('span', { class: 'muted row-note' }, isVoided ? t('cost.voided')
              : t('cost.paid_by', { name: playerName(payer) }))),
          h('b', { class: 'amount' }, isVoided ? h('s', {}, money.plain(amount)) : money.plain(amount)),
          mayChange && h('span', { class: 'row-buttons' },
            h('a', { class: 'icon-button', href: `${home}/costs/${number}`,
              'data-key': `correct-cost-${number}`, 'aria-label': t('cost.correct', { number }) },
            icon('pen')),
            !isVoided && h('button', { type: 'button', class: 'icon-button',
              'data-key': `void-cost-${number}`, 'aria-label': t('cost.void', { number }),
              onclick: () => onVoid(number) }, icon('cross'))));
      })),
    mayWrite && !mayChange && h('p', { class: 'muted' }, t('cost.unsent')));
}
