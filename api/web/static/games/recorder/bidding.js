// Questions answered with a word or the first card: who takes, who passes, what is trump.

import { playerName } from '../../core/session_store.js';
import { t } from '../../core/translator.js';
import { SUITS } from '../../domain/cards.js';
import { forehandOf, seatsFrom } from '../../domain/seats.js';
import { h } from '../../ui/elements.js';
import { actionButton } from '../../ui/page.js';
import { playerRow } from '../../ui/player_tokens.js';
import { cardName, cardPicker, faceUpCard, suitIcon } from '../../ui/playing_cards.js';

export const allPassButton = ({ of, handlers }) => of('all_pass').length > 0
  && actionButton('all-pass', t('record.all_pass'),
    () => handlers.send(t('record.all_pass'), { type: 'all_pass' }));

/** Two buttons, no and yes, as large as they are important. */
export const buttonPair = ([noKey, noWords, pickNo], [yes, yesWords, onYes]) => [
  h('button', { type: 'button', class: 'button huge', 'data-key': noKey, disabled: !pickNo, onclick: pickNo },
    noWords),
  h('button', { type: 'button', class: 'button big huge', 'data-key': yes, onclick: onYes }, yesWords)];

export const cardsOnTable = ({ deal }) => deal.turn_up
  && h('p', { class: 'lying' }, faceUpCard(deal.turn_up));

export const allowedValues = (entry, field) => entry.fields[field].values;

/** The bottom card that the cutter shows. */
export const cutQuestion = {
  open: ({ of }) => of('cut').length > 0,
  draw: (context) => {
    const { state, game, of, handlers } = context;
    const cutter = seatsFrom(state.deal.dealer, state.seats).at(-1);
    return {
      question: t('cards.cut', { name: playerName(cutter) }), topic: game.hints.declarer,
      caption: t('cards.cut.jack'),
      main: [cardPicker({ pack: game.pack(state), may: allowedValues(of('cut')[0], 'card'),
        pick: (card) => handlers.send(cardName(card), { type: 'cut', card }) }), allPassButton(context)],
      bar: [],
    };
  },
};

export const turnUpQuestion = {
  open: ({ of, cards, memo }) => cards && of('turn_up').length > 0 && !memo.unseen,
  draw: (context) => {
    const { state, game, of, handlers } = context;
    return {
      question: t('cards.turn_up', { name: playerName(state.deal.dealer) }),
      topic: game.hints.turnUp ?? game.hints.declarer,
      main: [cardPicker({ pack: game.pack(state), may: allowedValues(of('turn_up')[0], 'card'),
        pick: (card) => handlers.send(cardName(card), { type: 'turn_up', card }) }), allPassButton(context)],
      bar: [],
    };
  },
};

/** The dealer may take an ace or leave it. */
export const takeQuestion = {
  open: ({ of }) => of('take').length > 0,
  draw: ({ state, handlers }) => ({
    question: t('bid.will_take', { name: playerName(state.deal.dealer) }), main: [cardsOnTable(state)],
    bar: [
      actionButton('decline', t('bid.decline'), () => handlers.send(t('bid.decline'), { type: 'decline' })),
      actionButton('take', t('bid.take'), () => handlers.send(t('bid.take'), { type: 'take' }),
        { big: true }),
    ],
  }),
};

/** One bid: accept or pass, then a suit or pass. */
export const bidQuestion = {
  open: ({ of }) => of('bid').length > 0,
  draw: (context) => {
    const { state, game, of, handlers } = context;
    const [entry] = of('bid');
    const [player] = allowedValues(entry, 'player');
    const calls = allowedValues(entry, 'call');
    const say = (call, words) => handlers.send(`${playerName(player)}: ${words}`,
      { type: 'bid', player, call });
    const suits = SUITS.filter((letter) => calls.includes(letter));
    return {
      question: t(suits.length > 0 ? 'bid.will_name' : 'bid.will_accept', { name: playerName(player) }),
      topic: game.hints.declarer,
      main: [
        playerRow(state, seatsFrom(forehandOf(state), state.seats), { turn: player }), cardsOnTable(state),
        suits.length > 0 && h('div', { class: 'calls' }, suits.map((letter) => h('button', {
          type: 'button', class: 'button call', 'data-key': `call-${letter}`,
          onclick: () => say(letter, t(`suit.${letter}`)),
        }, suitIcon(letter), h('span', {}, t(`suit.${letter}`))))),
        allPassButton(context),
      ],
      bar: calls.includes('accept')
        ? buttonPair(['call-pass', t('bid.pass'), () => say('pass', t('bid.pass'))],
          ['call-accept', t('bid.accept'), () => say('accept', t('bid.accept'))])
        : [actionButton('call-pass', t('bid.pass'), () => say('pass', t('bid.pass')), { big: true })],
    };
  },
};
