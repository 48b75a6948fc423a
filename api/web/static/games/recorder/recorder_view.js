// What the recorder shows: one question with its answers; or for five tricks the table with a button at each
// seat, five slots for the tricks, and the special calls below. A button that costs a player money is never
// where the previous screen had a button. Each device remembers the depth of recording (result, tricks or
// cards) that it used last.

import { deviceOwner, readItem, writeItem } from '../../core/device_storage.js';
import { playerName } from '../../core/session_store.js';
import { isOutOfReach } from '../../core/sync_queue.js';
import { listNames, sessionMoneyWriter, t } from '../../core/translator.js';
import { amountPlayedFor } from '../../domain/amounts.js';
import { SUITS, TRICKS, cutterOf } from '../../domain/deal.js';
import { syncStatus, tableLink } from '../../features/sync_status.js';
import { undoButton, undoneText } from '../../features/undo.js';
import { h, hiddenText } from '../../ui/elements.js';
import { actionButton, announce, hint, onceLoaded, showScreen } from '../../ui/page.js';
import { declarersSentence, hueOfPlayer, tokenOfPlayer } from '../../ui/player_tokens.js';
import { suitIcon } from '../../ui/playing_cards.js';
import { dealerMark, felt, ownSeatMark, potAmount } from '../../ui/table_view.js';

/** Fields that hold for the rest of the deal; all others are dropped with each recorded action. */
const LASTING_FIELDS = ['exchanged', 'unseen', 'count'];
export const lastingMemo = (memo) => Object.fromEntries(LASTING_FIELDS.filter((name) => memo[name])
  .map((name) => [name, true]));

const NO_QUESTION = { question: '', main: [] };

/**
 * Draws the first of the game's questions that is open, of those about `legalActions`. `isMidAction`: undo
 * takes back what is tapped of an incomplete action. `isPaused`: no tap counts now. `title`, `isBegun`,
 * `offersCards` and `lastTap` are set only where a deal is recorded from its taps, `isCorrection` where it
 * was played before.
 */
export function drawQuestion({ state, game, handlers, depth, memo, cards, legalActions },
  { isMidAction, isPaused, number, home, fresh, sending, title, isCorrection = false,
    isBegun = state.deal.phase !== 'waiting' || Object.keys(memo).length > 0, lastTap, offersCards = true }) {
  const context = { state, game, handlers, depth, memo, cards,
    legalActionsOf: (type) => legalActions.filter((legalAction) => legalAction.type === type) };
  const openQuestion = game.questions.find(({ isOpen }) => isOpen(context));
  const { question, topic, caption, main, bar } = openQuestion?.draw(context) ?? NO_QUESTION;
  showScreen({
    title: title ?? t('result.title', { number }),
    backHref: home,
    headerEnd: [!isPaused && !isCorrection && misdealButton(state, number, home, isBegun), syncStatus()],
    kind: 'record by-action',
    fresh,
    main: [
      !isPaused && depthSwitch({ depth, game, offersCards, pick: handlers.chooseDepth }),
      promptBox(isPaused ? [waitSentence(sending)] : [question, topic], caption),
      h('div', { class: isPaused ? 'question-area busy' : 'question-area', inert: isPaused }, main),
    ],
    bar: isPaused ? [tableLink(home, sending)] : [
      isBegun && undoButton('undo-tap',
        (pressed) => handlers.undoTap(undoneText(pressed), pressed.textContent),
        state, isMidAction ? null : lastTap),
      bar,
    ],
  });
}

/** The way to say that the cards were dealt wrongly, away from the thumb. */
const misdealButton = ({ options }, number, home, isBegun) =>
  (isBegun || options.misdeal_policy === 'next_dealer') && h('button', {
    type: 'button', class: 'text-button', 'data-key': 'misdeal',
    onclick: () => onceLoaded(import('../../features/misdeal.js'),
      (file) => file.askAboutMisdeal(number, home)),
  }, t('void.misdealt'));

/** The question, and a line below it that keeps its place without words: what follows must not jump. */
const promptBox = ([question, topic], caption) => h('div', { class: 'prompt' },
  h('p', { class: 'question', tabindex: '-1' }, question, topic && hint(topic)),
  h('p', { class: 'subtext' }, caption || '\u00a0'));

/** What stands in place of the question while no tap counts. */
const waitSentence = (sending) => (sending && !isOutOfReach() ? t('record.sending') : t('record.kept'));

/** The depth used last on this device in this game; `usual` is the one to begin with. */
export const depthHabit = (game, usual) => readItem(`depth.${game}`) ?? usual;
export const saveDepthHabit = (game, depth) => writeItem(`depth.${game}`, depth);

/**
 * A switch between the depths, the usual one first; invisible but in its place where it cannot be changed.
 * `offersCards`: whether the deal may be recorded in cards.
 */
function depthSwitch({ depth, game, offersCards, changeable = true, pick }) {
  const depths = [...new Set([game.usualDepth, 'tricks', 'result']), ...(offersCards ? ['cards'] : [])];
  const isCounted = game.usualDepth === 'result';
  const labels = { tricks: t('record.by_tricks'), cards: t('record.by_cards'),
    result: t(isCounted ? 'record.by_count' : 'record.by_result') };
  return h('div', { class: changeable ? 'segmented-control' : 'segmented-control invisible', role: 'group',
    'aria-label': t('record.depth') },
    depths.map((value) => h('button', {
      type: 'button', 'aria-pressed': String(depth === value), 'data-key': `depth-${value}`,
      onclick: () => pick(value),
    }, labels[value])));
}

/**
 * Draws the table of a deal of five tricks. `view`: what five_tricks.js keeps of it, with `deal`, the deal as
 * read from its actions. `view.asking`: `vola` while the question is who has announced all five tricks, then
 * that player while it is how the announcement ended; else null.
 */
export function drawFiveTricks(state, view, handlers, fresh) {
  showScreen({
    title: view.title ?? t('result.title', { number: view.number }),
    backHref: view.home,
    headerEnd: [!view.isPaused && !view.isCorrection && misdealButton(state, view.number, view.home,
      view.open || view.taps.length > 0), syncStatus()],
    kind: 'record',
    fresh,
    main: [
      promptBox(questionOf(view), captionOf(view)),
      tableOfButtons(state, view, handlers),
      trickSlots(state, view),
      !view.isPaused && (callButtons(view, handlers) ?? trumpButtons(view, handlers)),
    ],
    bar: view.isPaused ? [tableLink(view.home, view.sending)]
      : [depthChoice(view, handlers), bottomBar(state, view, handlers)],
  });
}

function questionOf({ deal, asking, byResult, isPaused, sending, game, terms }) {
  if (isPaused) return [waitSentence(sending)];
  if (asking === 'vola') return [t(`vola.who.${terms.call}`), terms.call];
  if (asking !== null) return [t(`vola.how.${terms.call}`, { name: playerName(asking) }), terms.call];
  if (deal.phase === 'declare') return [t('record.who_declares'), game.hints.declarer];
  if (deal.phase === 'closed') return [t('record.complete')];
  if (deal.vola !== null) return [t('record.who_took', { number: deal.tricks.length + 1 }), terms.call];
  if (byResult && deal.tricks.length === 0) return [t('record.who_won'), game.hints.winner];
  return [t('record.who_took', { number: deal.tricks.length + 1 }), game.hints.winner];
}

function captionOf({ deal, isPaused, asking, terms }) {
  if (asking !== null && asking !== 'vola' && terms.soloist) return t('record.or_who_won');
  if (deal.mayVola && !isPaused) return t(`vola.may.${terms.call}`, { name: playerName(deal.mayVola) });
  if (deal.vola !== null) {
    const isLost = deal.tricks.some((winner) => winner !== deal.vola);
    return t(`vola.${isLost ? 'lost' : 'on'}.${terms.call}`, { name: playerName(deal.vola) });
  }
  if (deal.declarers.length > 0) return declarersSentence(deal.declarers);
  return '';
}

function tableOfButtons(state, view, handlers) {
  const { deal, asking, terms } = view;
  const isAskingOutcome = asking !== null && asking !== 'vola';
  const idle = view.isPaused || deal.phase === 'closed' || (isAskingOutcome && !terms.soloist);
  const seat = (id) => {
    const trickCount = deal.tricks.filter((winner) => winner === id).length;
    const declarer = deal.declarers.includes(id);
    return h('button', {
      type: 'button', class: `seat seat-button ${hueOfPlayer(state, id)}${declarer ? ' declarer' : ''}`,
      'data-key': `seat-${id}`, 'data-seat': id, disabled: idle || (isAskingOutcome && declarer),
      onclick: () => chooseSeat(id, view, handlers),
    },
    tokenOfPlayer(state, id),
    h('bdi', { class: 'name' }, playerName(id)),
    h('span', { class: 'trick-cards', 'aria-hidden': 'true' },
      Array.from({ length: trickCount }, () => h('i', {}))),
    hiddenText([declarer && t('record.is_declarer'),
      trickCount > 0 && t('record.tricks', { count: trickCount })].filter(Boolean).join(', ')),
    ownSeatMark(state, id),
    state.deal.dealer === id && dealerMark());
  };
  return felt({
    seats: state.seats, first: deviceOwner(state.id), seat, label: t('record.round'),
    centre: [
      h('p', { class: 'overline' }, t('record.for')),
      potAmount(sessionMoneyWriter(state).plain(amountPlayedFor(state))),
      deal.trump && h('p', { class: 'subtext' }, suitIcon(deal.trump), hiddenText(t(`suit.${deal.trump}`))),
    ],
  });
}

function chooseSeat(id, { deal, asking, byResult, terms }, handlers) {
  const name = playerName(id);
  if (asking === 'vola') handlers.ask(id);
  else if (asking !== null)
    handlers.tap(t('record.said_winner', { name }), terms.resultOfCall(asking, false, id));
  else if (deal.phase === 'declare') handlers.tap(t('record.said_declarer', { name }),
    { type: 'declare', players: [id] });
  else if (byResult && deal.tricks.length === 0)
    handlers.tap(t('record.said_winner', { name }), { type: 'result', winner: id });
  else handlers.tap(t('record.said_trick', { name, number: deal.tricks.length + 1 }),
    { type: 'trick', winner: id });
}

/** The five tricks as five cards face down, each turned to show who took it. */
function trickSlots(state, { deal, byResult }) {
  const isShown = deal.phase !== 'declare' && !(byResult && deal.tricks.length === 0);
  return h('ol', { class: isShown ? 'slots' : 'slots invisible', 'aria-label': t('record.slots') },
    Array.from({ length: TRICKS }, (_, index) => {
      const winner = deal.tricks[index];
      const isNext = index === deal.tricks.length && deal.phase === 'play';
      return h('li', { class: winner ? `slot ${hueOfPlayer(state, winner)}` : isNext ? 'slot next' : 'slot' },
        winner ? [tokenOfPlayer(state, winner),
          hiddenText(t('record.said_trick', { name: playerName(winner), number: index + 1 }))]
          : [h('span', { 'aria-hidden': 'true' }, index + 1),
            hiddenText(t('record.said_trick', { name: '–', number: index + 1 }))]);
    }));
}

function depthChoice({ deal, game, byResult, isCorrection = false }, handlers) {
  const changeable = deal.phase === 'declare' || (deal.phase === 'play' && deal.tricks.length === 0);
  return depthSwitch({ depth: byResult ? 'result' : 'tricks', game, offersCards: !isCorrection, changeable,
    pick: handlers.chooseDepth });
}

function trumpButtons({ deal, taps }, handlers) {
  const isDeclaredHere = taps.some((action) => action.type === 'declare');
  return h('div', { class: isDeclaredHere && deal.phase === 'play' ? 'trumps' : 'trumps invisible',
    role: 'group', 'aria-label': t('record.trump') },
    h('span', { class: 'overline' }, t('record.trump_if')),
    SUITS.map((letter) => h('button', {
      type: 'button', class: 'icon-button', 'aria-pressed': String(deal.trump === letter),
      'data-key': `trump-${letter}`,
      'aria-label': t(`suit.${letter}`), onclick: () => handlers.chooseTrump(letter),
    }, suitIcon(letter))));
}

/** Calls about the whole deal, shown in place of the trumps: all passed, or la vola. */
function callButtons({ deal, asking, terms }, handlers) {
  const words = deal.mayVola
    && t(`vola.says.${terms.call}`, { name: playerName(deal.mayVola) });
  const call = asking !== null ? null
    : deal.phase === 'declare' ? actionButton('all-pass', t('record.all_pass'),
      () => handlers.tap(t('record.all_pass'), { type: 'all_pass' }))
      : deal.mayVola ? actionButton('vola', words, () => handlers
        .tap(words, { type: terms.call, player: deal.mayVola })) : null;
  return call && h('div', { class: 'button-pair' }, call);
}

function bottomBar(state, view, handlers) {
  const { deal, taps, asking, byResult, open, terms } = view;
  const undoTapButton = (taps.length > 0 || open || asking !== null)
    && undoButton('undo-tap', (pressed) => handlers.undoTap(undoneText(pressed), pressed), state,
      asking !== null ? null : lastTap(state, view));
  if (asking === 'vola') return [undoTapButton];
  if (asking !== null) {
    return [undoTapButton,
      actionButton('vola-lost', t(terms.soloist ? 'record.vole_not_all' : 'record.vola_lost'),
        () => handlers.tap(t('record.vola_lost'), terms.resultOfCall(asking, false, asking))),
      actionButton('vola-won', t('record.vola_won'),
        () => handlers.tap(t('record.vola_won'), terms.resultOfCall(asking, true, asking)))];
  }
  if (deal.phase === 'closed')
    return [undoTapButton, actionButton('send', t('record.send'), handlers.submit, { primary: true })];
  if (deal.phase === 'declare') {
    const { dealer } = state.deal;
    const cutter = cutterOf(state.seats, dealer);
    const names = listNames([playerName(dealer), playerName(cutter)]);
    return [undoTapButton,
      terms.twoMayDeclare && actionButton('both', [h('small', {}, t('record.two')), names],
        () => handlers.tap(t('record.said_both', { names }),
          { type: 'declare', players: [dealer, cutter] }))];
  }
  if (deal.vola !== null) {
    if (deal.tricks.some((winner) => winner !== deal.vola))
      return [undoTapButton, finishPlayButton(deal, handlers)];
    const rest = Array.from({ length: TRICKS - deal.tricks.length },
      () => ({ type: 'trick', winner: deal.vola }));
    return [undoTapButton, actionButton('all-five', t('record.all_five', { name: playerName(deal.vola) }),
      () => handlers.tap(t('record.vola_won'), ...rest))];
  }
  if (byResult && deal.tricks.length === 0) {
    return [undoTapButton,
      terms.nobodyMayWin && actionButton('nobody', t('record.nobody'),
        () => handlers.tap(t('record.nobody'), { type: 'result', winner: null })),
      actionButton('vola', t(`vola.button.${terms.call}`),
        () => handlers.ask(terms.soloist ? deal.declarers[0] : 'vola'))];
  }
  return [undoTapButton, finishPlayButton(deal, handlers)];
}

/** The latest tap on this device; undefined if there is none and the server's latest action counts. */
const lastTap = ({ deal: { number } }, { taps, deal: { tricks } }) => (taps.length > 0
  ? { type: taps.at(-1).type, deal: number, trick: tricks.length } : undefined);

/** The button that ends play. It names the winner, except after a la vola or vole call. */
function finishPlayButton({ mayFinish, vola }, handlers) {
  const words = mayFinish && (vola === null ? t('record.finish', { name: playerName(mayFinish) })
    : t('record.finish_here'));
  return mayFinish && actionButton('finish', words, () => handlers.tap(words, { type: 'finish' }),
    { primary: true });
}

/** Announces the words and the question on the screen; the words alone where the focus reads the question. */
export function announceWithQuestion(words) {
  const question = document.querySelector('.question');
  announce(question === document.activeElement ? words
    : `${words.replace(/\.$/, '')}. ${question.firstChild.data}`);
}
