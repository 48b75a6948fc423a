// Questions that are answered with a word or the first card: who takes, who passes, what is trumps.

import { h } from '../../ui/elements.js';
import { nameOf } from '../../core/session_store.js';
import { act } from '../../ui/page.js';
import { faceUp, spoken } from '../../domain/cards.js';
import { suit, SUITS } from '../../ui/suits.js';
import { t } from '../../core/translator.js';
import { row, from, forehandOf } from '../../domain/seats.js';
import { picker } from '../../ui/picker.js';

export const allPass = ({ of, hands }) => of('all_pass').length > 0
  && act('all-pass', t('record.all_pass'), () => hands.send(t('record.all_pass'), { type: 'all_pass' }));

/** No and yes, as big as they are important. */
export const twain = ([no, noWords, onNo], [yes, yesWords, onYes]) => [
  h('button', { type: 'button', class: 'button huge', 'data-key': no, disabled: !onNo, onclick: onNo }, noWords),
  h('button', { type: 'button', class: 'button big huge', 'data-key': yes, onclick: onYes }, yesWords)];

export const onTable = ({ deal }) => deal.turn_up && h('p', { class: 'lying' }, faceUp(deal.turn_up));

export const values = (entry, field) => entry.fields[field].values;

/** The bottom card of the part lifted off. */
export const cutting = {
  open: ({ of }) => of('cut').length > 0,
  draw: (context) => {
    const { state, game, of, hands } = context;
    const cutter = from(state.deal.dealer, state.seats).at(-1);
    return {
      question: t('cards.cut', { name: nameOf(cutter) }), topic: game.hints.declarer, under: t('cards.cut.jack'),
      main: [picker({ pack: game.pack(state), may: values(of('cut')[0], 'card'), pick: (card) => hands.send(spoken(card), { type: 'cut', card }) }), allPass(context)],
      bar: [],
    };
  },
};

export const turningUp = {
  open: ({ of, cards, memo }) => cards && of('turn_up').length > 0 && !memo.unseen,
  draw: (context) => {
    const { state, game, of, hands } = context;
    return {
      question: t('cards.turn_up', { name: nameOf(state.deal.dealer) }), topic: game.hints.turnUp ?? game.hints.declarer,
      main: [picker({ pack: game.pack(state), may: values(of('turn_up')[0], 'card'), pick: (card) => hands.send(spoken(card), { type: 'turn_up', card }) }), allPass(context)],
      bar: [],
    };
  },
};

/** The dealer may take an ace or leave it. */
export const choosing = {
  open: ({ of }) => of('take').length > 0,
  draw: ({ state, hands }) => ({
    question: t('bid.will_take', { name: nameOf(state.deal.dealer) }), main: [onTable(state)],
    bar: [
      act('decline', t('bid.decline'), () => hands.send(t('bid.decline'), { type: 'decline' })),
      act('take', t('bid.take'), () => hands.send(t('bid.take'), { type: 'take' }), { big: true }),
    ],
  }),
};

/** One voice of the bidding: accept or pass, then a suit or pass. */
export const bidding = {
  open: ({ of }) => of('bid').length > 0,
  draw: (context) => {
    const { state, game, of, hands } = context;
    const [entry] = of('bid');
    const [player] = values(entry, 'player');
    const calls = values(entry, 'call');
    const say = (call, words) => hands.send(`${nameOf(player)}: ${words}`, { type: 'bid', player, call });
    const suits = SUITS.filter((letter) => calls.includes(letter));
    return {
      question: t(suits.length > 0 ? 'bid.will_name' : 'bid.will_accept', { name: nameOf(player) }), topic: game.hints.declarer,
      main: [
        row(state, from(forehandOf(state), state.seats), { turn: player }), onTable(state),
        suits.length > 0 && h('div', { class: 'calls' }, suits.map((letter) => h('button', {
          type: 'button', class: 'button call', 'data-key': `call-${letter}`, onclick: () => say(letter, t(`suit.${letter}`)),
        }, suit(letter), h('span', {}, t(`suit.${letter}`))))),
        allPass(context),
      ],
      bar: calls.includes('accept')
        ? twain(['call-pass', t('bid.pass'), () => say('pass', t('bid.pass'))], ['call-accept', t('bid.accept'), () => say('accept', t('bid.accept'))])
        : [act('call-pass', t('bid.pass'), () => say('pass', t('bid.pass')), { big: true })],
    };
  },
};
