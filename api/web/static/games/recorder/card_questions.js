// Questions answered with a word or a card: who takes, who passes, what is trump; what is discarded, what is
// played, what is in a hand.

import { playerName } from '../../core/session_store.js';
import { t } from '../../core/translator.js';
import { SUITS, cutterOf, seatOrder } from '../../domain/deal.js';
import { h, hiddenText } from '../../ui/elements.js';
import { pillGroup } from '../../ui/fields.js';
import { actionButton } from '../../ui/page.js';
import { playerRow, trickPips } from '../../ui/player_tokens.js';
import { cardName, cardPicker, faceUpCard, suitIcon } from '../../ui/playing_cards.js';

export const allPassButton = ({ legalActionsOf, handlers }) => legalActionsOf('all_pass').length > 0
  && actionButton('all-pass', t('record.all_pass'),
    () => handlers.send(t('record.all_pass'), { type: 'all_pass' }));

/** Two buttons, no and yes, as large as they are important. */
export const buttonPair = ([noKey, noWords, onNo], [yesKey, yesWords, onYes]) => [
  h('button', { type: 'button', class: 'button extra-large', 'data-key': noKey, disabled: !onNo,
    onclick: onNo }, noWords),
  h('button', { type: 'button', class: 'button primary extra-large', 'data-key': yesKey,
    onclick: onYes }, yesWords)];

export const cardsOnTable = ({ deal }) => deal.turn_up
  && h('p', { class: 'turn-up' }, faceUpCard(deal.turn_up));

export const allowedValues = (legalAction, field) => legalAction.fields[field].values;

/** The player whom a legal action is about. */
const playerOf = (legalAction) => allowedValues(legalAction, 'player')[0];

/** The legal action of the chosen player, else the first. */
const actionOfPlayer = (legalActions, chosen) =>
  legalActions.find((legalAction) => playerOf(legalAction) === chosen) ?? legalActions[0];

/** The bottom card that the cutter shows. */
export const cutQuestion = {
  isOpen: ({ legalActionsOf }) => legalActionsOf('cut').length > 0,
  draw: (context) => {
    const { state, game, legalActionsOf, handlers } = context;
    const cutter = cutterOf(state.seats, state.deal.dealer);
    return {
      question: t('cards.cut', { name: playerName(cutter) }), topic: game.hints.declarer,
      caption: t('cards.cut.jack'),
      main: [cardPicker({ pack: game.pack(state), may: allowedValues(legalActionsOf('cut')[0], 'card'),
        pick: (card) => handlers.send(cardName(card), { type: 'cut', card }) }), allPassButton(context)],
      bar: [],
    };
  },
};

export const turnUpQuestion = {
  isOpen: ({ legalActionsOf, cards, memo }) => cards && legalActionsOf('turn_up').length > 0 && !memo.unseen,
  draw: (context) => {
    const { state, game, legalActionsOf, handlers } = context;
    return {
      question: t('cards.turn_up', { name: playerName(state.deal.dealer) }),
      topic: game.hints.turnUp ?? game.hints.declarer,
      main: [cardPicker({ pack: game.pack(state), may: allowedValues(legalActionsOf('turn_up')[0], 'card'),
        pick: (card) => handlers.send(cardName(card), { type: 'turn_up', card }) }), allPassButton(context)],
      bar: [],
    };
  },
};

/** The dealer may take an ace or leave it. */
export const takeQuestion = {
  isOpen: ({ legalActionsOf }) => legalActionsOf('take').length > 0,
  draw: ({ state, handlers }) => ({
    question: t('bid.will_take', { name: playerName(state.deal.dealer) }), main: [cardsOnTable(state)],
    bar: [
      actionButton('decline', t('bid.decline'), () => handlers.send(t('bid.decline'), { type: 'decline' })),
      actionButton('take', t('bid.take'), () => handlers.send(t('bid.take'), { type: 'take' }),
        { primary: true }),
    ],
  }),
};

/** One bid: accept or pass, then a suit or pass. */
export const bidQuestion = {
  isOpen: ({ legalActionsOf }) => legalActionsOf('bid').length > 0,
  draw: (context) => {
    const { state, game, legalActionsOf, handlers } = context;
    const [legalAction] = legalActionsOf('bid');
    const player = playerOf(legalAction);
    const calls = allowedValues(legalAction, 'call');
    const say = (call, words) => handlers.send(`${playerName(player)}: ${words}`,
      { type: 'bid', player, call });
    const suits = SUITS.filter((letter) => calls.includes(letter));
    return {
      question: t(suits.length > 0 ? 'bid.will_name' : 'bid.will_accept', { name: playerName(player) }),
      topic: game.hints.declarer,
      main: [
        playerRow(state, seatOrder(state), { turn: player }), cardsOnTable(state),
        suits.length > 0 && h('div', { class: 'calls' }, suits.map((letter) => h('button', {
          type: 'button', class: 'button call', 'data-key': `call-${letter}`,
          onclick: () => say(letter, t(`suit.${letter}`)),
        }, suitIcon(letter), h('span', {}, t(`suit.${letter}`))))),
        allPassButton(context),
      ],
      bar: calls.includes('accept')
        ? buttonPair(['call-pass', t('bid.pass'), () => say('pass', t('bid.pass'))],
          ['call-accept', t('bid.accept'), () => say('accept', t('bid.accept'))])
        : [actionButton('call-pass', t('bid.pass'), () => say('pass', t('bid.pass')), { primary: true })],
    };
  },
};

/** A choice of the player whom the answer is about. */
const playerPills = (name, legalActions, chosen, pick) =>
  h('div', { role: 'group', 'aria-label': t('record.round') },
    pillGroup(name, legalActions.map(playerOf).map((id) => [id, playerName(id)]), chosen, pick));

/** A sixth card discarded. It need not be named: at the table it lies face down. */
export const discardQuestion = {
  isOpen: ({ legalActionsOf }) => legalActionsOf('discard').length > 0,
  draw: ({ state, game, legalActionsOf, memo, handlers }) => {
    const legalActions = legalActionsOf('discard');
    const legalAction = actionOfPlayer(legalActions, memo.who);
    const player = playerOf(legalAction);
    const name = playerName(player);
    return {
      question: t('cards.discard', { name }),
      caption: trumpLine(state),
      main: [
        legalActions.length > 1
          && playerPills('who', legalActions, player, (id) => handlers.remember({ who: id })),
        cardPicker({ pack: game.pack(state), may: allowedValues(legalAction, 'card'),
          pick: (card) => handlers.send(cardName(card), { type: 'discard', player, card }) }),
      ],
      bar: [actionButton('unseen', t('cards.face_down'),
        () => handlers.send(t('cards.face_down'), { type: 'discard', player }), { primary: true })],
    };
  },
};

/** The next card: whose turn, what lies on the table, what may be played. */
export const playQuestion = {
  isOpen: ({ legalActionsOf, cards, memo }) => cards && legalActionsOf('play').length > 0 && !memo.hand,
  draw: (context) => {
    const { state, game, legalActionsOf, handlers, memo } = context;
    const legalActions = legalActionsOf('play');
    const legalAction = actionOfPlayer(legalActions, memo.who);
    const player = playerOf(legalAction);
    const open = legalActions.length > 1; // the leader is unknown until the card is chosen
    const name = playerName(player);
    const play = (id, card) => handlers.send(`${playerName(id)}: ${cardName(card)}`,
      { type: 'play', player: id, card });
    const onlyCard = open ? allowedValues(legalAction, 'card')[0] : null;
    return {
      question: open ? t('cards.who_leads', { card: cardName(onlyCard) }) : t('cards.plays', { name }),
      topic: game.hints.play,
      caption: game.tally?.(state) ?? trumpLine(state),
      main: [
        playedCards(context, open ? { pick: (id) => play(id, onlyCard),
          open: legalActions.map(playerOf) } : { turn: player }),
        [...announcementButtons(context)],
        !open && cardPicker({ pack: game.pack(state), may: allowedValues(legalAction, 'card'),
          pick: (card) => play(player, card) }),
        handButton(context),
      ],
      bar: [finishButton(context)],
    };
  },
};

/** Records a hand, so that afterwards only its legal cards can be tapped. */
export const handQuestion = {
  // Opened by `handButton` in another question, never in turn.
  isOpen: ({ legalActionsOf, cards, memo }) => cards && memo.hand && legalActionsOf('hand').length > 0,
  draw: ({ state, game, legalActionsOf, handlers, memo }) => {
    const legalActions = legalActionsOf('hand');
    const legalAction = actionOfPlayer(legalActions, memo.hand);
    const player = playerOf(legalAction);
    // `including`: the cards that are known to be in the hand.
    const { min, keys, including } = legalAction.fields.cards;
    const chosen = [...new Set([...including, ...(memo.chosen ?? [])])];
    const full = chosen.length === min;
    const toggle = (card) =>
      handlers.remember({ chosen: chosen.includes(card) ? chosen.filter((chosenCard) => chosenCard !== card)
      : [...chosen, card] });
    return {
      question: t('cards.hand', { name: playerName(player) }),
      caption: t('cards.chosen', { count: chosen.length, sum: min }),
      main: [
        playerPills('hand', legalActions, player, (hand) => handlers.remember({ hand, chosen: [] })),
        cardPicker({ pack: game.pack(state), may: full ? [] : keys, chosen, pick: toggle }),
      ],
      bar: [actionButton('show-hand', t('cards.show'),
        () => handlers.send(t('cards.shown', { name: playerName(player) }),
          { type: 'hand', player, cards: chosen }), { primary: true, disabled: !full })],
    };
  },
};

const trumpLine = ({ deal }) => deal.trump && [t('record.trump'), ' ', suitIcon(deal.trump),
  hiddenText(t(`suit.${deal.trump}`))];

export const handButton = ({ legalActionsOf, handlers }) => legalActionsOf('hand').length > 0
  && actionButton('hand', t('cards.show_a_hand'),
    () => handlers.remember({ hand: playerOf(legalActionsOf('hand')[0]) }), { secondary: true });

/** The trick on the table, in the order of play. */
function playedCards({ state }, { turn = null, pick = null, open = [] }) {
  const { deal } = state;
  const seats = deal.staying ?? seatOrder(state);
  const laid = new Map((deal.cards ?? []).map(({ player, card }) => [player, card]));
  const tricks = deal.tricks ?? [];
  return playerRow(state, seats, {
    turn, pick, open,
    marked: (id) => deal.declarers?.includes(id),
    caption: (id) =>
      [laid.has(id) ? faceUpCard(laid.get(id)) : h('span', { class: 'card-gap', 'aria-hidden': 'true' }),
      trickPips(tricks.filter((winner) => winner === id).length)],
  });
}

/** La vola, announced before the next card: away from the cards, to avoid accidental taps. */
export function* announcementButtons({ legalActionsOf, handlers }) {
  for (const type of ['la_vola', 'vole']) {
    for (const legalAction of legalActionsOf(type)) {
      const player = playerOf(legalAction);
      const words = t(`vola.says.${type}`, { name: playerName(player) });
      yield actionButton('vola', words, () => handlers.send(words, { type, player }));
    }
  }
}

export const finishButton = ({ legalActionsOf, handlers }) => legalActionsOf('finish').length > 0
  && actionButton('finish', t('record.finish_here'),
    () => handlers.send(t('record.finish_here'), { type: 'finish' }));
