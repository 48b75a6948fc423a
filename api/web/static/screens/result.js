// What a deal came to: one sentence, how everybody stands, and then why. Undo is one tap away.

import { fate, mayCorrect } from '../features/correcting/may.js';
import { h, icon } from '../ui/elements.js';
import { act as record, deal, evening, foreseen, nameOf, refresh } from '../core/session_store.js';
import { roleIn } from '../core/device_storage.js';
import { writerOf } from '../core/money_format.js';
import { act, go, say, show, warn } from '../ui/page.js';
import { person } from '../ui/player_tokens.js';
import { forPoints, namesOf, stands } from '../domain/points.js';
import { changes, lines } from '../ui/posting_lines.js';
import { Problem } from '../core/api_client.js';
import { scoreboard } from '../ui/scoreboard.js';
import { sync } from '../features/sync_status.js';
import { once, undoLast } from '../features/undo.js';
import { t, together } from '../core/translator.js';

export async function result({ game, home, argument, still }) {
  const number = Number.parseInt(argument, 10);
  const just = location.hash.endsWith('/now');
  let known = await deal(number);
  if (!still()) return null;
  if (just) history.replaceState(null, '', `${home}/deal/${number}`); // a reload must not play it again
  let seen = just ? 0 : known.postings.length;
  const wrote = h('p', { class: 'dim', hidden: true });
  const sign = () => import('../features/access/wrote.js').then((file) => file.sign(wrote, known)).catch(() => null);
  const compared = h('div', {});
  const compare = () => known.before?.length > 0 && import('../features/correcting/compare.js').then((file) => {
    compared.replaceChildren(...[file.beforeAndAfter(evening(), known, writerOf(evening()))].flat().filter(Boolean));
  }).catch(() => null);
  const draw = (fresh) => {
    paint(evening(), known, { game, home, fresh, just, seen, wrote, compared });
    seen = known.postings.length;
  };
  draw(true);
  if (known.outcome?.text) say(known.outcome.text);
  if (!known.provisional) sign();
  compare();
  return {
    update: async () => {
      const later = await deal(number).catch((trouble) => (trouble.code === 'unknown_deal' ? null : known));
      if (!still()) return;
      if (later === null) { location.hash = home; return; } // taken back, elsewhere
      known = later;
      draw(false);
      if (!known.provisional) sign();
      compare();
    },
  };
}

function paint(state, known, { game, home, fresh, just, seen, wrote, compared }) {
  const points = forPoints(state);
  const money = writerOf(state);
  const lastNumber = state.deal.phase === 'waiting' ? state.deal.number - 1 : state.deal.number;
  const isLast = known.number === lastNumber;
  const mayRecord = isLast && foreseen() && state.status === 'open' && roleIn(state.id) !== 'viewer';
  show({
    title: t('result.title', { number: known.number }),
    back: just ? home : `${home}/deals`,
    aside: sync(),
    kind: 'result',
    fresh,
    main: [
      h('p', { class: 'verdict' }, known.outcome?.text ?? t('table.open_deal', { number: known.number })),
      known.provisional && h('p', { class: 'banner' }, t('offline.provisional')),
      known.before?.length > 0 && h('p', {}, fate(known)),
      mayRecord && merging(state, known, home),
      h('section', {}, h('h2', {}, t(isLast ? 'result.standing' : 'result.standing_now')), points ? scoreboard(state, game, isLast ? known.outcome?.points : {}) : standing(state, known, money, isLast)),
      known.postings.length > 0 && h('section', {}, h('h2', {}, t(points ? 'result.points' : 'result.money')), lines(state, known, money, seen)),
      facts(known),
      known.findings?.length > 0 && h('section', {}, h('h2', {}, t('result.findings')), h('ul', { class: 'rows' }, known.findings.map(({ text }) => h('li', { class: 'row' }, text)))),
      compared,
      wrote,
      mayCorrect(state, known) && h('a', { class: 'button quiet', href: `${home}/correct/${known.number}`, 'data-key': 'correct' }, icon('pen'), h('span', {}, t('correct.label'))),
    ],
    bar: mayRecord ? [
      undoLast(state, home),
      go('table', t('result.table'), home),
      state.winner ? go('winner', t('points.winner'), `${home}/winner`, { big: true })
        : go('record', t('result.title', { number: state.deal.number }), `${home}/record`, { big: true }),
    ] : [go('deals', t('menu.history'), `${home}/deals`), go('table', t('result.table'), home, { big: true })],
  });
}

const MANY = 5;

/** What was recorded, for who wants to check it against memory. */
function facts({ actions, dealer, outcome }) {
  const words = [t('result.dealer', { name: nameOf(dealer) })];
  for (const action of actions) {
    if (action.type === 'declare') {
      words.push(t('record.declared', { names: together(action.players.map(nameOf)) }));
      if (action.trump) words.push(t('result.trump', { suit: t(`suit.${action.trump}`) }));
    }
    if (action.type === 'la_vola' || action.type === 'vole') words.push(t('record.says_vola', { name: nameOf(action.player), call: t(`call.${action.type}`) }));
  }
  const tricks = (outcome?.tricks ?? []).map(nameOf);
  if (outcome?.taken && tricks.length > MANY) tricks.length = 0; // thirteen names in a row tell less than four numbers
  const counted = tricks.length === 0 ? Object.entries(outcome?.taken ?? {}) : [];
  if (counted.length > 0) words.push(t('taken.tricks', { names: counted.map(([keeper, count]) => `${namesOf(keeper)} ${count}`).join(', ') }));
  if (tricks.length > 0) words.push(t('taken.tricks', { names: tricks.join(', ') }));
  return h('p', { class: 'dim facts' }, words.join(' · '));
}

function standing(state, known, money, isLast) {
  const change = changes(known.postings);
  return h('ul', { class: 'rows' }, state.players.map(({ id }) => {
    const moved = change.get(`player:${id}`) ?? 0;
    return h('li', { class: 'row', 'data-player': id },
      person(state, id),
      isLast && h('span', { class: `moved ${moved < 0 ? 'minus' : moved > 0 ? 'plus' : 'dim'}` }, moved === 0 ? '' : money.signed(moved)),
      h('b', { class: 'amount', 'data-balance': stands(state)[id] }, money.signed(stands(state)[id])));
  }));
}

// Two declarers lost: the table may put their bets together, or keep them apart, until the next deal.
function merging(state, known, home) {
  const offer = state.legal_actions.find((action) => action.type === 'merge');
  if (!offer) return null;
  const allowed = offer.fields?.together?.values ?? [true];
  const apart = allowed.includes(true);
  const choose = (whether) => once(async () => {
    try {
      const what = t(whether ? 'merge.put' : 'merge.kept');
      await record([{ type: 'merge', together: whether }], { what });
      say(what);
    } catch (trouble) {
      if (!(trouble instanceof Problem)) throw trouble;
      await refresh();
      warn(trouble.message);
    }
  });
  return h('section', { class: 'offer' }, h('p', {}, t(apart ? 'merge.ask' : 'merge.ask_apart')),
    h('div', { class: 'pair' }, allowed.map((whether) =>
      act(`merge-${whether}`, t(whether ? 'merge.together' : 'merge.apart'), () => choose(whether)))));
}
