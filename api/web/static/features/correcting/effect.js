// What a correction changes for everybody and for the bets, before it is made. The server reckons it; without contact
// nothing is guessed.

import { h } from '../../ui/elements.js';
import { nameOf } from '../../core/session_store.js';
import { writerOf } from '../../core/money_format.js';
import { refill } from '../../ui/page.js';
import { person } from '../../ui/player_tokens.js';
import { party, signed } from '../../domain/points.js';
import { request, session, Unreached } from '../../core/api_client.js';
import { speakAlso, t, together } from '../../core/translator.js';

/** The server's answer for `{actions, later}`, without actions for a deal that never counted; null without contact. */
async function ask(id, number, wish) {
  try {
    return (await request('POST', session(id, `/deals/${number}/preview`), { body: wish })).body;
  } catch (trouble) {
    if (trouble instanceof Unreached) return null;
    throw trouble;
  }
}

/**
 * Fills `place` with what would change. Resolves with the version that it was reckoned on; undefined without contact,
 * which is said. Throws the server's Problem where the correction would be refused.
 */
export async function effect(place, state, number, wish) {
  await speakAlso('effect.');
  refill(place, h('p', { class: 'dim' }, t('effect.asking')));
  const found = await ask(state.id, number, wish);
  refill(place, ...(found ? changes(state, found) : [h('p', { class: 'banner' }, t('effect.unknown'))]));
  return found?.version;
}

function changes(state, found) {
  const money = writerOf(state);
  const rows = found.score_changes
    ? Object.entries(found.score_changes).map(([keeper, points]) => [party(state, keeper), signed(points), keeper])
    : Object.entries(found.balance_changes).map(([id, amount]) => [person(state, id), amount === 0 ? money.plain(0) : money.signed(amount), id]);
  const later = found.rescored.filter((one) => one !== found.deal);
  return [
    h('h3', {}, t('effect.title')),
    h('ul', { class: 'rows effect' }, rows.map(([who, change, key]) => h('li', { class: 'row', 'data-changes': key }, who, h('b', { class: 'amount' }, change)))),
    found.pot && found.pot.before !== found.pot.after
      && h('p', {}, t('effect.pot', { before: money.plain(found.pot.before), after: money.plain(found.pot.after) })),
    found.bets && bets(found.bets, money),
    later.length > 0 && h('p', { class: 'dim' }, t('effect.rescored', { count: later.length, numbers: together(later.map(String)) })),
  ];
}

function bets({ before, after }, money) {
  const lying = (stack) => JSON.stringify(stack.map(({ amount, by, deal, paid }) => [amount, by, deal, paid]));
  if (lying(before) === lying(after)) return h('p', { class: 'dim' }, t('effect.bets_same'));
  return h('div', { class: 'twofold' }, half('compare.before', before, money), half('compare.after', after, money));
}

const half = (title, stack, money) => h('section', { class: 'half' }, h('h3', {}, t(title)),
  stack.length === 0 ? h('p', { class: 'dim' }, t('table.no_bets')) : h('ol', { class: 'told', 'aria-label': t('table.bets') },
    stack.map(({ amount, by }) => h('li', {}, t('effect.bet', { amount: money.plain(amount), names: together(by.map(nameOf)) })))));
