// The turns of a Knektpass deal: who stays, who exchanges, and what may be recorded next (docs/rules.md
// §4.2). The server decides; this only asks the questions in order.

import { forehandOf, seatsFrom } from './seats.js';

const KNEKTPASS_TRICKS = 5;
const EXCHANGE_ROUNDS = 3;

/**
 * What the taps add up to: the deal as the screens draw it, the actions allowed now, and whether it is
 * closed.
 */
export function readKnektpassTurns(state, taps, pack) {
  const { seats, options, deal: { dealer } } = state;
  const order = seatsFrom(forehandOf(state), seats);
  const playersOf = (type) => taps.filter((action) => action.type === type).map(({ player }) => player);
  const staying = playersOf('stay');
  const passed = playersOf('pass');
  const swapped = taps.some(({ turn_up: swap }) => swap);
  const exchanges = taps.filter(({ type, cards }) => type === 'exchange' && cards);
  const tricks = taps.filter(({ type }) => type === 'trick').map(({ winner }) => winner);
  const turn = order[staying.length + passed.length];
  const closed = tricks.length === KNEKTPASS_TRICKS
    || taps.some(({ type }) => type === 'all_pass' || type === 'tricks')
    || (turn === undefined && staying.length < 2);
  const deal = { ...state.deal, phase: 'retold', turn, staying, passed, tricks };

  if (turn !== undefined) {
    const bound = options.turn_up_commits && swapped;
    const word = (type) => ({ type, fields: { player: { values: [turn] } } });
    const entries = [
      !swapped && staying.length + passed.length === 0
        && { type: 'exchange', fields: { player: { values: [dealer] }, turn_up: { values: [true] } } },
      word('stay'), !(bound && turn === dealer) && word('pass'),
      !bound && staying.length === 0 && { type: 'all_pass', fields: {} },
    ].filter(Boolean);
    return { closed, entries, deal: { ...deal, exchanged: swapped ? { [dealer]: 1 } : {} } };
  }

  const places = exchanges.map(({ player }) => staying.indexOf(player));
  const round = (spoken) => 1 + spoken.slice(1).filter((place, index) => place <= spoken[index]).length;
  const exchangedCards = options.reshuffle_discards ? 0 : cardCount(exchanges);
  const talon = pack.length - KNEKTPASS_TRICKS * seats.length - 1 - exchangedCards;
  const maxCards = Math.min(talon, KNEKTPASS_TRICKS);
  const exchanged = Object.fromEntries(staying.map((id) => [id,
    cardCount(exchanges.filter(({ player }) => player === id)) + (swapped && id === dealer ? 1 : 0)]));
  const open = tricks.length > 0 ? [] : [
    ...staying.filter((id, place) => maxCards > 0 && round([...places, place]) <= EXCHANGE_ROUNDS)
      .map((id) =>
        ({ type: 'exchange', fields: { player: { values: [id] }, cards: { min: 1, max: maxCards } } })),
    { type: 'tricks', fields: { taken: { sum: KNEKTPASS_TRICKS, keys: staying } } },
  ];
  return {
    closed, entries: [...open, { type: 'trick', fields: { winner: { values: staying } } }],
    deal: { ...deal, exchanged, round: round(places), talon },
  };
}

const cardCount = (exchanges) => exchanges.reduce((total, { cards }) => total + cards, 0);
