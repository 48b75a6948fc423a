// Spader: two sides facing each other, a bid from each, thirteen tricks.

import { playerName } from '../core/session_store.js';
import { t } from '../core/translator.js';
import { formatPoints, sideMembers, sumOf } from '../domain/amounts.js';
import { forehandOf, packFrom } from '../domain/deal.js';
import { REDEAL_REASONS, SPADER_TRICKS, deficitOf, forecastSpader, sidesOf } from '../forecast/spader.js';
import { bidSentence } from '../ui/action_sentences.js';
import { h, svg } from '../ui/elements.js';
import { numberPad, numbersUpTo, pillGroup } from '../ui/fields.js';
import { actionButton, hint, openSheet } from '../ui/page.js';
import { sideNames, sideTokens } from '../ui/player_tokens.js';
import { drawSuit, suitIcon } from '../ui/playing_cards.js';
import { allowedValues, handButton, handQuestion, playQuestion } from './recorder/card_questions.js';
import { recordDealAgain } from './recorder/offline_recorder.js';
import { recordByQuestions } from './recorder/online_recorder.js';
import { countQuestion, trickQuestion } from './recorder/trick_questions.js';

const minCount = { min: 1, max: SPADER_TRICKS };

const bidOf = ({ deal }, side) => deal.bids?.find((bid) => bid.side === side);
const tricksTakenBy = (side, counts) => counts[side]
  ?? sumOf(sideMembers(side).map((id) => counts[id] ?? 0));
// Without a nil bid, only the tricks of each side count.
const withoutNil = (bids) => bids.every((bid) => !bid.nil && !bid.blind_nil);

const NEAR_TARGET = 2; // overtricks before a penalty

/** How many more overtricks cost this side points, when there are few left. */
function bagWarning({ overtricks, options: { bag_limit: limit, bag_penalty: penalty,
  bag_points_removed: removed } }, side) {
  const points = penalty + (removed ? limit : 0);
  const count = limit - (overtricks[side] % limit);
  return count <= NEAR_TARGET && count < limit && points > 0
    && h('span', { class: 'tag due near-limit' }, t('points.bag_near', { count, points }));
}

/** Both sides facing each other: players, points, overtricks, bids. */
function partnersFacing(state, turn = null) {
  return h('div', { class: 'facing' }, sidesOf(state).map((side) => {
    const bid = bidOf(state, side);
    return h('section', { class: side === turn ? 'team turn' : 'team', 'aria-label': sideNames(side) },
      sideTokens(state, side),
      h('p', { class: 'name' }, sideNames(side)),
      h('p', { class: 'pot' }, formatPoints(state.scores[side])),
      state.overtricks && h('p', { class: 'muted' }, t('points.bags', { count: state.overtricks[side] })),
      state.overtricks && bagWarning(state, side),
      h('p', { class: 'bid' }, bid ? t('spader.bid_is', { bid: bidSentence(bid) }) : '\u00a0'));
  }));
}

/** What this side may bid, as the server lists it: a pad for the tricks, and the players who may bid nil. */
const sideBid = {
  isOpen: ({ legalActionsOf, memo }) => legalActionsOf('side_bid').length > 0 && !memo.hand,
  draw: (context) => {
    const { state, legalActionsOf, handlers, memo } = context;
    const legalBids = legalActionsOf('side_bid');
    const [side] = allowedValues(legalBids[0], 'side');
    const chosen = sideMembers(side).includes(memo.nil?.[1]) ? memo.nil : ['none'];
    const [kind, player] = chosen;
    const bidWith = (...names) => legalBids.find(({ fields }) => Object.keys(fields).sort()
      .join() === ['side', ...names].sort().join()
      && (kind === 'none' || allowedValues({ fields }, kind).includes(player)));
    const send = (bid) => handlers.send(`${sideNames(side)}: ${bidSentence(bid)}`,
      { type: 'side_bid', side, ...bid });
    const tricksBid = bidWith(...(kind === 'none' ? ['tricks'] : ['tricks', kind]));
    const nilBid = kind === 'none' ? bidWith('joint_nil')
      : kind === 'blind_nil' ? bidWith('blind_nil', 'nil') : null;
    const nilBy = kind === 'none' ? {} : { [kind]: player };
    const pick = (number) => send(number > 0 ? { tricks: number, ...nilBy }
      : kind === 'none' ? { joint_nil: true }
        : { ...nilBy, nil: sideMembers(side).find((id) => id !== player) });
    const nils = [[['none'], t('spader.no_nil')],
      ...offeredBids(legalBids, 'nil').map((id) => [['nil', id], playerName(id)]),
      ...offeredBids(legalBids, 'blind_nil').filter((id) => typeof id === 'string')
        .map((id) => [['blind_nil', id], t('spader.blind', { name: playerName(id) })])];
    const doubleBlindNil = legalBids.find(({ fields }) => fields.blind_nil?.values.some(Array.isArray));
    return {
      question: t('spader.asks', { names: sideNames(side) }), topic: 'spader_bid',
      caption: kind === 'none' ? t('spader.together')
        : t('spader.partner', { name: playerName(sideMembers(side).find((id) => id !== player)) }),
      main: [
        partnersFacing(state, side),
        h('div', { class: 'bid-questions' },
          h('div', { class: 'nil-choice', role: 'group', 'aria-label': t('spader.who_nil') },
            h('span', { class: 'overline' }, t('spader.who_nil'), hint('spader_nil')),
            pillGroup('nil', nils.map(([value, words]) => [value.join(' '), words]), chosen.join(' '),
              (value) => handlers.remember({ nil: value.split(' ') }))),
          numberPad(t('spader.asks', { names: sideNames(side) }), numbersUpTo(SPADER_TRICKS),
            { may: (number) => Boolean(number === 0 ? nilBid : tricksBid), pick, keyPrefix: 'bid' })),
        context.cards && handButton(context),
      ],
      bar: [
        doubleBlindNil && actionButton('both-blind', t('spader.both_blind'),
          () => send({ blind_nil: doubleBlindNil.fields.blind_nil.values.find(Array.isArray) })),
        legalActionsOf('redeal').length > 0
          && actionButton('redeal', t('spader.redeal'), () => redealQuestion(context)),
      ],
    };
  },
};

const offeredBids = (bids, name) =>
  [...new Set(bids.flatMap(({ fields }) => (fields.tricks && fields[name] ? fields[name].values : [])))];

/** The player who asks for a redeal, and the reason. */
function redealQuestion({ legalActionsOf, handlers }) {
  const dialog = openSheet(t('spader.redeal'), [
    h('p', {}, t('spader.redeal.why'), hint('spader_redeal')),
    legalActionsOf('redeal').map((legalAction) => {
      const [player] = allowedValues(legalAction, 'player');
      return h('section', { class: 'reasons' }, h('h3', {}, playerName(player)),
        h('div', { class: 'button-pair' }, allowedValues(legalAction, 'reason').map((reason) =>
        actionButton(`redeal-${player}-${reason}`, t(`spader.redeal.${reason}`), () => {
          dialog.close();
          handlers.send(t('spader.redeal'), { type: 'redeal', player, reason });
        }))));
    }),
  ]);
}

const swapQuestion = {
  isOpen: ({ legalActionsOf }) => legalActionsOf('swap').length > 0,
  draw: ({ state, handlers }) => ({
    question: t('spader.swapped', { names: sideNames(state.deal.swapping) }), topic: 'spader_nil',
    main: [partnersFacing(state, state.deal.swapping)],
    bar: [
      actionButton('no-swap', t('spader.no_swap'),
        () => handlers.send(t('spader.no_swap'), { type: 'no_swap' }), { primary: true }),
      actionButton('swap', t('spader.swap'), () => handlers.send(t('spader.swap'), { type: 'swap' })),
    ],
  }),
};

const firstActions = (state) => [...readSpaderTaps(state, []).legalActions,
  ...state.seats.map((id) => ({ type: 'hand', fields: { player: { values: [id] },
    cards: { min: SPADER_TRICKS, max: SPADER_TRICKS, keys: packFrom('2'), including: [] } } }))];

/** A redeal may be asked for until the first bid. */
const redealReasons = ({ seats }) => seats.map((id) =>
  ({ type: 'redeal', fields: { player: { values: [id] }, reason: { values: REDEAL_REASONS } } }));

/** A side that is far enough behind may bid blind nil. The server checks it. */
function recordedBids(state, side) {
  const { options } = state;
  const partners = sideMembers(side);
  const bid = (fields) => ({ type: 'side_bid', fields: { side: { values: [side] }, ...fields } });
  const blind = deficitOf(side, state) >= options.blind_nil_deficit ? [
    bid({ tricks: minCount, blind_nil: { values: partners } }),
    ...(options.blind_nil_partner_zero ? [partners, partners.toReversed()]
      .map(([blindBidder, nilBidder]) =>
        bid({ blind_nil: { values: [blindBidder] }, nil: { values: [nilBidder] } })) : []),
    ...(options.double_blind_nil ? [bid({ blind_nil: { values: [partners] } })] : []),
  ] : [];
  return [bid({ tricks: minCount }), bid({ tricks: minCount, nil: { values: partners } }),
    bid({ joint_nil: { values: [true] } }), ...blind];
}

/**
 * Reads a deal from its taps: a bid from each side, the forehand's first, then the tricks. A redeal may come
 * before.
 */
function readSpaderTaps(state, taps) {
  const bids = taps.filter(({ type }) => type === 'side_bid');
  const tricks = taps.filter(({ type }) => type === 'trick').map(({ winner }) => winner);
  const deal = { ...state.deal, phase: 'recording', bids, tricks };
  const forehandSide = sidesOf(state).find((side) => sideMembers(side).includes(forehandOf(state)));
  const sides = [forehandSide, ...sidesOf(state)];
  // After a redeal the next player may deal (A-SP-9).
  const passedOn = state.options.redeal_dealer === 'next' && taps.some(({ type }) => type === 'redeal');
  const legalActions = bids.length < 2 ? [
    ...recordedBids(state, sides.find((side) => bids.every((bid) => bid.side !== side))),
    ...(bids.length === 0 ? redealReasons(state) : []),
  ] : [
    tricks.length === 0 && { type: 'tricks', fields: { taken: { sum: SPADER_TRICKS, keys: state.seats } } },
    tricks.length === 0 && withoutNil(bids) && { type: 'tricks',
      fields: { taken: { sum: SPADER_TRICKS, keys: sidesOf(state) } } },
    { type: 'trick', fields: { winner: { values: state.seats } } },
  ].filter(Boolean);
  return { deal, legalActions, closed: passedOn || tricks.length === SPADER_TRICKS
    || taps.some(({ type }) => type === 'tricks') };
}

export const game = {
  key: 'spader',
  picture: () => [
    svg('g', { class: 'suitS large-figure', transform: 'translate(18 8) scale(1.85)' }, drawSuit('S')),
    svg('path', { class: 'cross', d: 'M8 32h8M64 32h8M40 2v5M40 57v5' })],
  help: { target: 'spader_end' },
  pairs: [[0, 2], [1, 3]],
  forecast: forecastSpader,
  usualDepth: 'result',
  hasBetStack: false,
  hints: { score: 'spader_score', play: 'spader_cards' },
  sections: { spader_cards: ['3.1'], spader_bid: ['3.2'], spader_nil: ['3.3'], spader_score: ['3.3'],
    spader_redeal: ['3.2'], spader_end: ['3.4', '5'] },
  topics: ['spader_aim', 'spader_cards', 'spader_bid', 'spader_nil', 'spader_score', 'spader_redeal',
    'spader_end'],
  course: ({ options }) => ({ start: 0, goal: options.target }),
  warning: bagWarning,
  centre: ({ options }) => [h('p', { class: 'emblem' }, suitIcon('S')),
    h('p', { class: 'overline' }, t('points.target'), hint('spader_end')),
    h('p', { class: 'pot' }, options.target)],
  record: recordByQuestions,
  recordAgain: recordDealAgain,
  lateLine: () => import('./late_entry.js').then((file) => file.readSidesLine),
  pack: () => packFrom('2'),
  firstActions,
  tricks: SPADER_TRICKS,
  readTaps: readSpaderTaps,
  questions: [handQuestion, sideBid, swapQuestion, playQuestion, countQuestion, trickQuestion],
  countGroups: (state, counts, keys) => sidesOf(state).map((side) =>
    ({ ids: keys.includes(side) ? [side] : sideMembers(side),
    title: bidLine(state, side, tricksTakenBy(side, counts)) })),
  tally: (state) => {
    const tricks = state.deal.tricks ?? [];
    const counts =
      Object.fromEntries(state.seats.map((id) => [id, tricks.filter((winner) => winner === id).length]));
    const [line, otherLine] =
      sidesOf(state).map((side) => bidLine(state, side, tricksTakenBy(side, counts)));
    return [line, h('br'), otherLine];
  },
};

const bidLine = (state, side, count) =>
  t('spader.line', { names: sideNames(side), bid: bidSentence(bidOf(state, side) ?? {}), count });
