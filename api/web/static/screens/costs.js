// Shared costs: what one player paid for several. Records one with who paid, how much, what for and for whom,
// lists them all, and corrects one or takes it back.

import { getAllItems } from '../core/api_client.js';
import { deviceOwner, keepTypedEntry, roleInSession, typedEntry } from '../core/device_storage.js';
import { currentSession, keepLatest, playerName, sessionState } from '../core/session_store.js';
import { answerOrForecast, writeToSession } from '../core/session_sync.js';
import { sessionMoneyWriter, t } from '../core/translator.js';
import { parseAmount } from '../domain/amounts.js';
import { redrawSyncStatus, syncStatus, tableLink } from '../features/sync_status.js';
import { divideCost, isShared, nextCostNumber, partsOfEverybody } from '../forecast/costs.js';
import { h, icon } from '../ui/elements.js';
import { fieldset, formatTypedAmount, pillGroup } from '../ui/fields.js';
import { actionButton, announce, iconButton, leaveForm, redrawScreen, showRefusal,
  showScreen, showWarning } from '../ui/page.js';
import { memberName, playerLabel, tokenOfPlayer } from '../ui/player_tokens.js';

const PURPOSE_CHARACTERS = 60;
const PART_CHOICES = [0, 1, 2, 3];

/** What can be done about a forgotten cost once the session is closed. */
const closedNote = ({ carried_to: nextSession, closure }, home) => h('div', { class: 'banner' },
  h('p', {}, t('table.closed'), ' ', nextSession ? t('table.carried')
    : t(closure.reopenable ? 'cost.reopen' : 'cost.paid_since_closing')),
  !nextSession && h('a', { class: 'text-link', href: `${home}/settlement`, 'data-key': 'to-settlement' },
    t('menu.settle')));

/** `argument`: the number of a cost to correct; without it, the form is for a new one. */
export async function costsScreen({ id, home, argument, isCurrent }) {
  if (currentSession().balances === null) { location.replace(home); return null; }
  // Without a network the list shows no purposes: a phone does not keep them.
  const fetchPurposes = keepLatest(() => getAllItems(id, 'costs')
    .then((costs) => new Map(costs.map(({ number, purpose }) => [number, purpose]))));
  // A correction must know the purpose, or it would remove it.
  let purposes = await (argument ? fetchPurposes() : fetchPurposes().catch(() => new Map()));
  if (!isCurrent()) return null;
  let correctedCost = findCost(currentSession(), argument);
  const formKey = `cost.${id}`;
  const typed = correctedCost ? null : typedEntry(formKey, { text: '', purpose: '' });
  const view = { sending: false, entry: {
    ...costEntry(currentSession(), deviceOwner(id), correctedCost, purposes.get(correctedCost?.number)),
    ...typed } };
  // Another tab may have the same form, so only what is typed here replaces what is kept.
  const keep = () => {
    if (!correctedCost) keepTypedEntry(formKey, view.entry.text || view.entry.purpose ? view.entry : null);
  };
  const basis = () => JSON.stringify([currentSession().version, currentSession().players,
    sessionState().waiting.length, view.sending]);
  let drawn = '';
  const costBasis = () => correctedCost
    && JSON.stringify([findCost(currentSession(), argument), purposes.get(correctedCost.number)]);
  let knownCost = costBasis();

  /** Takes over a correction by another phone. A cost that it has taken back may still be corrected. */
  function followCost() {
    if (view.sending || costBasis() === knownCost) return;
    const { number, status } = correctedCost;
    correctedCost = findCost(currentSession(), argument);
    knownCost = costBasis();
    if (correctedCost === null) { location.replace(`${home}/costs`); return; }
    const isVoided = correctedCost.status === 'voided' && status !== 'voided';
    if (!isVoided) view.entry = costEntry(currentSession(), null, correctedCost, purposes.get(number));
    showWarning(isVoided ? t('cost.is_voided', { number }) : t('cost.changed'));
  }

  async function reloadPurposes() {
    purposes = await fetchPurposes({ again: true }).catch(() => purposes);
    if (isCurrent()) draw();
  }

  function draw(fresh = false) {
    followCost();
    drawn = basis();
    const state = currentSession();
    const mayWrite = state.status === 'open' && roleInSession(id) !== 'viewer';
    const number = correctedCost?.number ?? nextCostNumber(state);
    const body = costBody(state, view.entry);
    showScreen({
      title: correctedCost ? t('cost.correct', { number }) : t('menu.costs'),
      backHref: correctedCost ? `${home}/costs` : home, headerEnd: syncStatus(), fresh,
      main: [
        state.status === 'closed' && closedNote(state, home),
        mayWrite && costFields(state, view.entry, number, () => { keep(); draw(); }),
        !correctedCost && costList(state, { purposes, home, mayWrite, onVoid: voidCost }),
      ],
      bar: [mayWrite ? actionButton('record-cost', recordLabel(state, body), () => record(number),
        { primary: true, disabled: body === null || view.sending }) : tableLink(home, false)],
    });
  }

  async function record(number) {
    const sent = view.entry;
    const body = costBody(currentSession(), sent);
    if (body === null || view.sending) return;
    const amount = sessionMoneyWriter(currentSession(), [body.amount]).plain(body.amount);
    const words = t('cost.recorded', { name: playerName(body.payer), amount });
    const note = { what: words, cost: number };
    if (correctedCost) {
      await send(words, () => changeCost('PUT', note, body));
      return;
    }
    const title = `${playerName(body.payer)}, ${amount}`;
    view.entry = costEntry(currentSession(), deviceOwner(id)); // what is typed from now on is the next cost
    keep();
    await send(words, async () => {
      const queued = writeToSession('/costs', body, { ifMatch: null, note });
      try {
        await answerOrForecast(queued, note);
      } catch (error) {
        restore(sent, error, title);
        throw error;
      }
    });
  }

  /** Puts a refused cost into the form again, unless the next one has been begun there. */
  function restore(sent, error, title) {
    if (typedEntry(formKey) !== null) {
      error.message = t('queue.refused', { title, reason: error.message });
      return;
    }
    view.entry = sent;
    keep();
    if (!isCurrent() && location.hash === `${home}/costs`) redrawScreen(); // it has been opened again
  }

  function voidCost(number) {
    const words = t('cost.is_voided', { number });
    return send(words, () => changeCost('DELETE', { what: words, cost: number }));
  }

  const changeCost = (method, note, body) =>
    answerOrForecast(writeToSession(`/costs/${note.cost}`, body, { method, note }), note);

  async function send(words, write) {
    if (view.sending) return;
    view.sending = true;
    draw();
    try {
      await write();
    } catch (error) {
      view.sending = false;
      await showRefusal(error, () => isCurrent() && draw());
      return;
    }
    if (!isCurrent()) return;
    announce(words);
    if (correctedCost) { leaveForm(`${home}/costs`); return; } // what it has sent is no change to follow
    view.sending = false;
    await reloadPurposes();
  }

  draw(true);
  return {
    update: async () => {
      if (basis() === drawn) { redrawSyncStatus(); return; }
      draw(); // what is typed stays
      await reloadPurposes();
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
            !isVoided && iconButton(`void-cost-${number}`, 'cross', t('cost.void', { number }),
              () => onVoid(number))));
      })),
    mayWrite && !mayChange && h('p', { class: 'muted' }, t('cost.unsent')));
}

/** What the form holds at first: nothing, or a cost that is to be corrected. */
function costEntry(state, payer, cost = null, purpose = '') {
  if (cost === null) return { payer, text: '', purpose: '', parts: null };
  const parts = Object.fromEntries(partsOfEverybody(state, Object.fromEntries(
    cost.shares.map((share) => [share.player, share.parts]))));
  return { payer: cost.payer, text: formatTypedAmount(cost.amount, state.currency), purpose: purpose ?? '',
    parts: Object.values(parts).every((count) => count === 1) ? null : parts };
}

/** The body of the request; null until there are a payer, an amount and somebody else who shares it. */
function costBody(state, { payer, text, purpose, parts }) {
  const amount = parseAmount(text, state.currency);
  if (!payer || amount === null || !isShared(partsOfEverybody(state, parts), payer)) return null;
  return { payer, amount, parts, purpose: purpose.trim() || null };
}

/** `number`: of the cost; it decides who bears the odd unit. `changed()` draws the screen again. */
function costFields(state, entry, number, changed) {
  const amount = parseAmount(entry.text, state.currency);
  const isWrong = entry.text.trim() !== '' && amount === null;
  return h('form', { onsubmit: (event) => event.preventDefault(), novalidate: true },
    fieldset(t('cost.payer'), null, pillGroup('payer',
      state.players.map(({ id }) => [id, playerLabel(state, id)]), entry.payer,
      (id) => { entry.payer = id; changed(); })),
    h('label', { class: 'field' }, h('span', {}, t('settle.amount')),
      h('input', { type: 'text', inputmode: 'decimal', autocomplete: 'off', 'data-key': 'cost-amount',
        value: entry.text, 'aria-invalid': isWrong && 'true',
        oninput: ({ target }) => { entry.text = target.value; changed(); } }),
      h('small', { class: 'muted wrong', hidden: !isWrong }, t('cost.wrong_amount'))),
    h('label', { class: 'field' }, h('span', {}, t('cost.purpose')),
      h('input', { type: 'text', maxlength: PURPOSE_CHARACTERS, autocomplete: 'off', value: entry.purpose,
        'data-key': 'cost-purpose', placeholder: t('cost.purpose_example'),
        oninput: ({ target }) => { entry.purpose = target.value; changed(); } })),
    bearerFields(state, entry, number, amount, changed));
}

/** The parts that each player bears, folded while everybody bears one, and the resulting shares. */
function bearerFields(state, entry, number, amount, changed) {
  const parts = partsOfEverybody(state, entry.parts);
  const isBorne = isShared(parts, entry.payer);
  const shares = amount !== null && isBorne ? divideCost(amount, parts, number) : [];
  const money = sessionMoneyWriter(state, shares.map((share) => share.amount));
  const shareOf = (id) => shares.find(({ player }) => player === id);
  const choose = (id, count) => { entry.parts = { ...Object.fromEntries(parts), [id]: count }; changed(); };
  return h('details', { class: 'disclosure', open: entry.parts !== null },
    h('summary', { 'data-key': 'for-whom' }, t(entry.parts === null ? 'cost.everybody' : 'cost.by_parts')),
    !isBorne && h('p', { class: 'muted wrong' }, t('cost.nobody')),
    h('ul', { class: 'rows' }, parts.map(([id, count]) => h('li', { class: 'row' }, playerLabel(state, id),
      shareOf(id) && h('b', { class: 'amount', 'data-share': id }, money.plain(shareOf(id).amount)),
      h('div', { role: 'group', 'aria-label': t('cost.parts', { name: memberName(state.players, id) }) },
      pillGroup(`parts-${id}`, partChoices(count), count, (chosen) => choose(id, chosen)))))),
    h('p', { class: 'muted' }, t('cost.odd')));
}

/** A cost from elsewhere may have more parts than the pills offer. */
const partChoices = (count) => [...new Set([...PART_CHOICES, count])]
  .map((choice) => [choice, choice === 0 ? '0' : `× ${choice}`]);
