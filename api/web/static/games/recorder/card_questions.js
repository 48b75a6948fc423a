// Questions that are answered with a card: what is laid away, what is played, what somebody holds.

import { h } from '../../ui/elements.js';
import { nameOf } from '../../core/session_store.js';
import { act } from '../../ui/page.js';
import { pills } from '../../ui/fields.js';
import { faceUp, spoken } from '../../domain/cards.js';
import { suit } from '../../ui/suits.js';
import { t } from '../../core/translator.js';
import { values } from './bidding.js';
import { picker } from '../../ui/picker.js';
import { from, forehandOf, pips, row } from '../../domain/seats.js';

/** A sixth card laid away; its back is enough. */
export const discarding = {
  open: ({ of }) => of('discard').length > 0,
  draw: ({ state, game, of, memo, hands }) => {
    const entries = of('discard');
    const entry = entries.find((one) => values(one, 'player')[0] === memo.who) ?? entries[0];
    const [player] = values(entry, 'player');
    const name = nameOf(player);
    return {
      question: t('cards.discard', { name }), under: state.deal.trump && [t('record.trump'), ' ', suit(state.deal.trump)],
      main: [
        entries.length > 1 && pills('who', entries.map((one) => values(one, 'player')[0]).map((id) => [id, nameOf(id)]), player, (who) => hands.note({ who })),
        picker({ pack: game.pack(state), may: values(entry, 'card'), pick: (card) => hands.send(spoken(card), { type: 'discard', player, card }) }),
      ],
      bar: [act('unseen', t('cards.face_down'), () => hands.send(t('cards.face_down'), { type: 'discard', player }), { big: true })],
    };
  },
};

/** The next card: whose turn, what lies there, what may be played. */
export const playing = {
  open: ({ of, cards, memo }) => cards && of('play').length > 0 && !memo.hand,
  draw: (context) => {
    const { state, game, of, hands, memo } = context;
    const entries = of('play');
    const entry = entries.find((one) => values(one, 'player')[0] === memo.who) ?? entries[0];
    const [player] = values(entry, 'player');
    const open = entries.length > 1; // nobody has shown yet who leads: the card itself tells
    const name = nameOf(player);
    const play = (who, card) => hands.send(`${nameOf(who)}: ${spoken(card)}`, { type: 'play', player: who, card });
    const only = open ? values(entry, 'card')[0] : null;
    return {
      question: open ? t('cards.who_leads', { card: spoken(only) }) : t('cards.plays', { name }),
      topic: game.hints.play,
      under: trumpLine(state),
      main: [
        cloth(context, open ? { pick: (who) => play(who, only), open: entries.map((one) => values(one, 'player')[0]) } : { turn: player }),
        [...announcements(context)],
        !open && picker({ pack: game.pack(state), may: values(entry, 'card'), pick: (card) => play(player, card) }),
        showHand(context),
      ],
      bar: [finishing(context)],
    };
  },
};

/** Everybody's hand may be made known: then only what the rules allow can be tapped. */
export const showing = {
  open: ({ of, cards, memo }) => cards && memo.hand && of('hand').length > 0,
  draw: ({ state, game, of, hands, memo }) => {
    const entries = of('hand');
    const entry = entries.find((one) => values(one, 'player')[0] === memo.hand) ?? entries[0];
    const [player] = values(entry, 'player');
    const { min, keys, including } = entry.fields.cards;
    const chosen = [...new Set([...including, ...(memo.chosen ?? [])])];
    const full = chosen.length === min;
    const toggle = (card) => hands.note({ chosen: chosen.includes(card) ? chosen.filter((one) => one !== card) : [...chosen, card] });
    return {
      question: t('cards.hand', { name: nameOf(player) }), under: t('cards.chosen', { count: chosen.length, sum: min }),
      main: [
        pills('hand', entries.map((one) => values(one, 'player')[0]).map((id) => [id, nameOf(id)]), player, (hand) => hands.note({ hand, chosen: [] })),
        picker({ pack: game.pack(state), may: full ? [] : keys, chosen, pick: toggle }),
      ],
      bar: [h('button', { type: 'button', class: 'button big', 'data-key': 'show-hand', disabled: !full,
        onclick: () => hands.send(t('cards.shown', { name: nameOf(player) }), { type: 'hand', player, cards: chosen }) }, t('cards.show'))],
    };
  },
};

const trumpLine = ({ deal }) => deal.trump && [t('record.trump'), ' ', suit(deal.trump), h('span', { class: 'aside' }, t(`suit.${deal.trump}`))];

export const showHand = ({ of, hands }) => of('hand').length > 0 && h('button', {
  type: 'button', class: 'button quiet', 'data-key': 'hand', onclick: () => hands.note({ hand: values(of('hand')[0], 'player')[0] }),
}, t('cards.show_a_hand'));

/** The trick on the table, in the order it is played. */
function cloth({ state }, { turn = null, pick = null, open = [] }) {
  const { deal } = state;
  const seats = deal.staying ?? from(forehandOf(state), state.seats);
  const laid = new Map((deal.cards ?? []).map(({ player, card }) => [player, card]));
  const tricks = deal.tricks ?? [];
  return row(state, seats, {
    turn, pick, open,
    marked: (id) => deal.declarers?.includes(id),
    under: (id) => [laid.has(id) ? faceUp(laid.get(id)) : h('span', { class: 'no-card', 'aria-hidden': 'true' }), pips(tricks.filter((one) => one === id).length)],
  });
}

/** La vola, said aloud before the next card: beside the cards, never where the thumb presses on. */
export function* announcements({ of, hands }) {
  for (const type of ['la_vola', 'vole']) {
    for (const entry of of(type)) {
      const [player] = values(entry, 'player');
      const words = t('record.says_vola', { name: nameOf(player), call: t(`call.${type}`) });
      yield act('vola', words, () => hands.send(words, { type, player }));
    }
  }
}

export const finishing = ({ of, hands }) => of('finish').length > 0
  && act('finish', t('record.finish_here'), () => hands.send(t('record.finish_here'), { type: 'finish' }));
