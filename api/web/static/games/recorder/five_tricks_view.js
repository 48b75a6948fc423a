// How recording looks: the table itself with every place a button, five slots for the tricks, and the few special
// calls under them. What costs somebody money is never where the thumb has just pressed the button of another screen.

import { TRICKS, cutterOf } from '../../domain/deal.js';
import { aside, h } from '../../ui/elements.js';
import { nameOf } from '../../core/session_store.js';
import { felt } from '../../ui/felt.js';
import { hint } from '../../ui/help.js';
import { holder } from '../../core/device_storage.js';
import { playedFor, writerOf } from '../../core/money_format.js';
import { act, show } from '../../ui/page.js';
import { hueOf, markerOf } from '../../ui/player_tokens.js';
import { outOfReach } from '../../core/sync_queue.js';
import { suit, SUITS } from '../../ui/suits.js';
import { meanwhile, sync } from '../../features/sync_status.js';
import { saidBy, undoButton } from '../../features/undo.js';
import { t, together } from '../../core/translator.js';
import { dealerButton, you } from '../../screens/table.js';
import { depthSwitch } from './depth.js';

export function draw(state, view, hands, fresh) {
  const blind = view.kept;
  show({
    title: view.title ?? t('record.title', { number: view.number }),
    back: view.home,
    aside: sync(),
    kind: 'record',
    fresh,
    main: [
      prompt(state, view),
      table(state, view, hands),
      slots(state, view),
      !blind && (calls(view, hands) ?? trump(view, hands)),
    ],
    bar: blind ? [meanwhile(view.home, view.sending)] : [depth(view, hands), bar(state, view, hands)],
  });
}

function question({ deal, asking, byResult, kept, sending, game, terms }) {
  const call = t(`call.${terms.call}`);
  if (kept) return [sending && !outOfReach() ? t('record.sending') : t('record.kept')];
  if (asking === 'vola') return [t('record.who_vola', { call }), terms.call];
  if (asking !== null) return [t('record.how_vola', { name: nameOf(asking), call }), terms.call];
  if (deal.phase === 'declare') return [t('record.who_declares'), game.hints.declarer];
  if (deal.phase === 'closed') return [t('record.complete')];
  if (deal.vola !== null) return [t('record.who_took', { number: deal.tricks.length + 1 }), terms.call];
  if (byResult && deal.tricks.length === 0) return [t('record.who_won'), game.hints.winner];
  return [t('record.who_took', { number: deal.tricks.length + 1 }), game.hints.winner];
}

function prompt(state, view) {
  const [words, topic] = question(view);
  return h('div', { class: 'prompt' },
    h('p', { class: 'question', tabindex: '-1' }, words, topic && hint(topic)),
    h('p', { class: 'under' }, underline(view)));
}

function underline({ deal, kept, asking, terms }) {
  const call = t(`call.${terms.call}`);
  if (asking !== null && asking !== 'vola' && terms.soloist) return t('record.or_who_won');
  if (deal.mayVola && !kept) return t('record.may_vola', { name: nameOf(deal.mayVola), call });
  if (deal.vola !== null) return t('record.on_vola', { name: nameOf(deal.vola), call });
  if (deal.declarers.length > 0) return t('record.declared', { names: together(deal.declarers.map(nameOf)) });
  return '\u00a0'; // keeps the line, so that the table does not jump when it is filled
}

function table(state, view, hands) {
  const { deal, asking, terms } = view;
  const how = asking !== null && asking !== 'vola';
  const idle = view.kept || deal.phase === 'closed' || (how && !terms.soloist);
  const seat = (id) => {
    const taken = deal.tricks.filter((winner) => winner === id).length;
    const declarer = deal.declarers.includes(id);
    return h('button', {
      type: 'button', class: `seat tap ${hueOf(state, id)}${declarer ? ' declarer' : ''}`,
      'data-key': `seat-${id}`, 'data-seat': id, disabled: idle || (how && declarer), onclick: () => chosen(id, view, hands),
    },
    markerOf(state, id),
    h('bdi', { class: 'name' }, nameOf(id)),
    h('span', { class: 'pips', 'aria-hidden': 'true' }, Array.from({ length: taken }, () => h('i', {}))),
    aside([declarer && t('record.is_declarer'), taken > 0 && t('record.tricks', { count: taken })].filter(Boolean).join(', ')),
    you(state, id),
    state.deal.dealer === id && dealerButton());
  };
  return felt({
    seats: state.seats, first: holder(state.id), seat, label: t('record.round'),
    centre: [
      h('p', { class: 'over' }, t('record.for')),
      h('p', { class: 'pot' }, writerOf(state).plain(playedFor(state))),
      deal.trump && h('p', { class: 'under' }, suit(deal.trump), aside(t(`suit.${deal.trump}`))),
    ],
  });
}

function chosen(id, { deal, asking, byResult, terms }, hands) {
  const name = nameOf(id);
  if (asking === 'vola') hands.ask(id);
  else if (asking !== null) hands.tap(t('record.said_winner', { name }), terms.ended(asking, false, id));
  else if (deal.phase === 'declare') hands.tap(t('record.said_declarer', { name }), { type: 'declare', players: [id] });
  else if (byResult && deal.tricks.length === 0) hands.tap(t('record.said_winner', { name }), { type: 'result', winner: id });
  else hands.tap(t('record.said_trick', { name, number: deal.tricks.length + 1 }), { type: 'trick', winner: id });
}

/** The five tricks as five cards face down, each turned to show who took it. */
function slots(state, { deal, byResult }) {
  const shown = deal.phase !== 'declare' && !(byResult && deal.tricks.length === 0);
  return h('ol', { class: shown ? 'slots' : 'slots off', 'aria-label': t('record.slots') },
    Array.from({ length: TRICKS }, (_, index) => {
      const winner = deal.tricks[index];
      const next = index === deal.tricks.length && deal.phase === 'play';
      return h('li', { class: winner ? `slot ${hueOf(state, winner)}` : next ? 'slot next' : 'slot' },
        winner ? [markerOf(state, winner), aside(t('record.said_trick', { name: nameOf(winner), number: index + 1 }))]
          : [h('span', { 'aria-hidden': 'true' }, index + 1), aside(t('record.said_trick', { name: '–', number: index + 1 }))]);
    }));
}

function depth({ deal, byResult, depths = ['tricks', 'result', 'cards'] }, hands) {
  const changeable = deal.phase === 'declare' || (deal.phase === 'play' && deal.tricks.length === 0);
  const all = { tricks: t('record.by_tricks'), result: t('record.by_result'), cards: t('record.by_cards') };
  const words = Object.fromEntries(depths.map((one) => [one, all[one]]));
  return depthSwitch({ depth: byResult ? 'result' : 'tricks', words, changeable, pick: hands.depth });
}

function trump({ deal, taps }, hands) {
  const mine = taps.some((action) => action.type === 'declare');
  return h('div', { class: mine && deal.phase === 'play' ? 'trumps' : 'trumps off', role: 'group', 'aria-label': t('record.trump') },
    h('span', { class: 'over' }, t('record.trump_if')),
    SUITS.map((letter) => h('button', {
      type: 'button', class: 'round', 'aria-pressed': String(deal.trump === letter), 'data-key': `trump-${letter}`,
      'aria-label': t(`suit.${letter}`), onclick: () => hands.trump(letter),
    }, suit(letter))));
}

/** What is said of the whole deal, in the place of the trumps: everybody passed, or la vola. */
function calls({ deal, asking, terms }, hands) {
  const words = deal.mayVola && t('record.says_vola', { name: nameOf(deal.mayVola), call: t(`call.${terms.call}`) });
  const call = asking !== null ? null
    : deal.phase === 'declare' ? act('all-pass', t('record.all_pass'), () => hands.tap(t('record.all_pass'), { type: 'all_pass' }))
      : deal.mayVola ? act('vola', words, () => hands.tap(words, { type: terms.call, player: deal.mayVola })) : null;
  return call && h('div', { class: 'pair' }, call);
}

function bar(state, view, hands) {
  const { deal, taps, asking, byResult, open, terms } = view;
  const back = (taps.length > 0 || open || asking !== null)
    && undoButton('undo-tap', (pressed) => hands.back(saidBy(pressed), pressed), state, asking !== null ? null : last(state, view));
  if (asking === 'vola') return [back];
  if (asking !== null) {
    return [back,
      act('vola-lost', t(terms.soloist ? 'record.vole_not_all' : 'record.vola_lost'), () => hands.tap(t('record.vola_lost'), terms.ended(asking, false, asking))),
      act('vola-won', t('record.vola_won'), () => hands.tap(t('record.vola_won'), terms.ended(asking, true, asking)))];
  }
  if (deal.phase === 'closed') return [back, act('send', t('record.send'), hands.submit, { big: true })];
  if (deal.phase === 'declare') {
    const { dealer } = state.deal;
    const cutter = cutterOf(state.seats, dealer);
    const names = together([nameOf(dealer), nameOf(cutter)]);
    return [back,
      terms.pair && act('both', [h('small', {}, t('record.two')), names], () => hands.tap(t('record.said_both', { names }), { type: 'declare', players: [dealer, cutter] }))];
  }
  if (deal.vola !== null) {
    if (deal.tricks.some((winner) => winner !== deal.vola)) return [back, finish(deal, hands)];
    const rest = Array.from({ length: TRICKS - deal.tricks.length }, () => ({ type: 'trick', winner: deal.vola }));
    return [back, act('all-five', t('record.all_five', { name: nameOf(deal.vola) }), () => hands.tap(t('record.vola_won'), ...rest))];
  }
  if (byResult && deal.tricks.length === 0) {
    return [back,
      terms.split && act('nobody', t('record.nobody'), () => hands.tap(t('record.nobody'), { type: 'result', winner: null })),
      act('vola', t(`called.${terms.call}`), () => hands.ask(terms.soloist ? deal.declarers[0] : 'vola'))];
  }
  return [back, finish(deal, hands)];
}

/** What was tapped last on this phone; undefined, if that is the server's to say. */
const last = ({ deal: { number } }, { taps, deal: { tricks } }) => (taps.length > 0
  ? { type: taps.at(-1).type, deal: number, trick: tricks.length } : undefined);

/** Who has won is said; but a vole that has lost a trick wins nothing. */
function finish({ mayFinish, vola }, hands) {
  const words = mayFinish && (vola === null ? t('record.finish', { name: nameOf(mayFinish) }) : t('record.finish_here'));
  return mayFinish && act('finish', words, () => hands.tap(words, { type: 'finish' }), { big: true });
}
