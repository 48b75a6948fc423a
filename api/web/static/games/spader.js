// Spader: two sides facing each other, a bid from each, thirteen tricks.

import { h } from '../ui/elements.js';
import { nameOf } from '../core/session_store.js';
import { pills } from '../ui/fields.js';
import { hint } from '../ui/help.js';
import { packFrom } from '../domain/cards.js';
import { act, sheet } from '../ui/page.js';
import { figure, markersOf, members, namesOf } from '../domain/points.js';
import { values } from './recorder/bidding.js';
import { playing, showHand, showing } from './recorder/card_questions.js';
import { byCount, byTrick, pad, upTo } from './recorder/counting.js';
import { live } from './recorder/questions.js';
import { forehandOf } from '../domain/seats.js';
import { bidInWords } from '../ui/action_sentences.js';
import { suit } from '../ui/suits.js';
import { t } from '../core/translator.js';

const TRICKS = 13;
const some = { min: 1, max: TRICKS };

const sidesOf = ({ seats }) => [`${seats[0]}+${seats[2]}`, `${seats[1]}+${seats[3]}`];
const bidOf = ({ deal }, side) => deal.bids?.find((bid) => bid.side === side);
const takenBy = (side, taken) => taken[side] ?? members(side).reduce((sum, id) => sum + (taken[id] ?? 0), 0);
const noNil = (bids) => bids.every((bid) => !bid.nil && !bid.blind_nil); // then nobody's own tricks decide anything

const NEAR = 2; // overtricks before a penalty

/** How few more overtricks cost this side points, where there are few left. */
function warning({ overtricks, options: { bag_limit: limit, bag_penalty: penalty, bag_points_removed: removed } }, side) {
  const points = penalty + (removed ? limit : 0);
  const count = limit - (overtricks[side] % limit);
  return count <= NEAR && count < limit && points > 0 && h('span', { class: 'tag due near' }, t('points.bag_near', { count, points }));
}

/** Both sides across from each other: who, how many points, how many overtricks, what they bid. */
function facing(state, turn = null) {
  return h('div', { class: 'facing' }, sidesOf(state).map((side) => {
    const bid = bidOf(state, side);
    return h('section', { class: side === turn ? 'team turn' : 'team', 'aria-label': namesOf(side) },
      markersOf(state, side),
      h('p', { class: 'name' }, namesOf(side)),
      h('p', { class: 'pot' }, figure(state.scores[side])),
      state.overtricks && h('p', { class: 'dim' }, t('points.bags', { count: state.overtricks[side] })),
      state.overtricks && warning(state, side),
      h('p', { class: 'bid' }, bid ? t('spader.bid_is', { bid: bidInWords(bid) }) : '\u00a0'));
  }));
}

/** What this side may bid, as the server lists it, asked with a pad and who (if anybody) bids nil. */
const sideBid = {
  open: ({ of, memo }) => of('side_bid').length > 0 && !memo.hand,
  draw: (context) => {
    const { state, of, hands, memo } = context;
    const entries = of('side_bid');
    const [side] = values(entries[0], 'side');
    const chosen = memo.nil ?? ['none'];
    const [kind, player] = chosen;
    const form = (...names) => entries.find(({ fields }) => Object.keys(fields).sort().join() === ['side', ...names].sort().join()
      && (kind === 'none' || values({ fields }, kind).includes(player)));
    const send = (bid) => hands.send(`${namesOf(side)}: ${bidInWords(bid)}`, { type: 'side_bid', side, ...bid });
    const whole = form(...(kind === 'none' ? ['tricks'] : ['tricks', kind]));
    const nothing = kind === 'none' ? form('joint_nil') : kind === 'blind_nil' ? form('blind_nil', 'nil') : null;
    const nilBy = kind === 'none' ? {} : { [kind]: player };
    const pick = (number) => send(number > 0 ? { tricks: number, ...nilBy }
      : kind === 'none' ? { joint_nil: true } : { ...nilBy, nil: members(side).find((id) => id !== player) });
    const nils = [[['none'], t('spader.no_nil')],
      ...offered(entries, 'nil').map((id) => [['nil', id], nameOf(id)]),
      ...offered(entries, 'blind_nil').filter((id) => typeof id === 'string').map((id) => [['blind_nil', id], t('spader.blind', { name: nameOf(id) })])];
    const both = entries.find(({ fields }) => fields.blind_nil?.values.some(Array.isArray));
    return {
      question: t('spader.asks', { names: namesOf(side) }), topic: 'spader_bid',
      under: kind === 'none' ? t('spader.together') : t('spader.partner', { name: nameOf(members(side).find((id) => id !== player)) }),
      main: [
        facing(state, side),
        h('div', { class: 'asked' },
          h('div', { class: 'nils', role: 'group', 'aria-label': t('spader.who_nil') }, h('span', { class: 'over' }, t('spader.who_nil'), hint('spader_nil')),
            pills('nil', nils.map(([value, words]) => [value.join(' '), words]), chosen.join(' '), (value) => hands.note({ nil: value.split(' ') }))),
          pad(t('spader.asks', { names: namesOf(side) }), upTo(TRICKS), { may: (number) => Boolean(number === 0 ? nothing : whole), pick, said: 'bid' })),
        context.cards && showHand(context),
      ],
      bar: [
        both && act('both-blind', t('spader.both_blind'), () => send({ blind_nil: both.fields.blind_nil.values.find(Array.isArray) })),
        of('redeal').length > 0 && act('redeal', t('spader.redeal'), () => redeal(context)),
      ],
    };
  },
};

const offered = (entries, name) => [...new Set(entries.flatMap(({ fields }) => (fields.tricks && fields[name] ? fields[name].values : [])))];

/** Who asks for new cards, and why he may. */
function redeal({ of, hands }) {
  const dialog = sheet(t('spader.redeal'), [
    h('p', {}, t('spader.redeal.why'), hint('spader_redeal')),
    of('redeal').map((entry) => {
      const [player] = values(entry, 'player');
      return h('section', { class: 'reasons' }, h('h3', {}, nameOf(player)), h('div', { class: 'pair' }, values(entry, 'reason').map((reason) =>
        act(`redeal-${player}-${reason}`, t(`spader.redeal.${reason}`), () => {
          dialog.close();
          hands.send(t('spader.redeal'), { type: 'redeal', player, reason });
        }))));
    }),
  ]);
}

const swapping = {
  open: ({ of }) => of('swap').length > 0,
  draw: ({ state, hands }) => ({
    question: t('spader.swapped', { names: namesOf(state.deal.swapping) }), topic: 'spader_nil',
    main: [facing(state, state.deal.swapping)],
    bar: [
      act('no-swap', t('spader.no_swap'), () => hands.send(t('spader.no_swap'), { type: 'no_swap' }), { big: true }),
      act('swap', t('spader.swap'), () => hands.send(t('spader.swap'), { type: 'swap' })),
    ],
  }),
};

function first(state) {
  return [
    ...bidsOf(state, forehandsSide(state)),
    ...redeals(state),
    ...state.seats.map((id) => ({ type: 'hand', fields: { player: { values: [id] }, cards: { min: TRICKS, max: TRICKS, keys: packFrom('2'), including: [] } } })),
  ];
}

/** Anybody may have been dealt a hand that asks for new cards, until somebody has bid. */
const redeals = ({ seats }) => seats.map((id) => ({ type: 'redeal', fields: { player: { values: [id] }, reason: { values: ['no_spade', 'no_court', 'long_suit'] } } }));

const forehandsSide = (state) => sidesOf(state).find((side) => members(side).includes(forehandOf(state)));

/** A side may bid blind nil if it lies far enough behind: the server decides, this only asks in time. */
function bidsOf(state, side) {
  const { options, scores } = state;
  const other = sidesOf(state).find((one) => one !== side);
  const both = members(side);
  const bid = (fields) => ({ type: 'side_bid', fields: { side: { values: [side] }, ...fields } });
  const behind = options.blind_nil_deficit_mode === 'absolute' ? -scores[side] : scores[other] - scores[side];
  const blind = behind >= options.blind_nil_deficit ? [
    bid({ tricks: some, blind_nil: { values: both } }),
    ...(options.blind_nil_partner_zero ? [both, both.toReversed()].map(([one, two]) => bid({ blind_nil: { values: [one] }, nil: { values: [two] } })) : []),
    ...(options.double_blind_nil ? [bid({ blind_nil: { values: [both] } })] : []),
  ] : [];
  return [bid({ tricks: some }), bid({ tricks: some, nil: { values: both } }), bid({ joint_nil: { values: [true] } }), ...blind];
}

/** Told again on the phone: a bid from each side, the forehand's first, and then the tricks. New cards may be asked for before. */
function retold(state, taps) {
  const bids = taps.filter(({ type }) => type === 'side_bid');
  const tricks = taps.filter(({ type }) => type === 'trick').map(({ winner }) => winner);
  const deal = { ...state.deal, phase: 'retold', bids, tricks };
  const first = forehandsSide(state);
  const passedOn = state.options.redeal_dealer === 'next' && taps.some(({ type }) => type === 'redeal'); // A-SP-9
  const entries = bids.length < 2 ? [
    ...bidsOf(state, bids.length === 0 ? first : sidesOf(state).find((side) => side !== first)), ...(bids.length === 0 ? redeals(state) : []),
  ] : [
    tricks.length === 0 && { type: 'tricks', fields: { taken: { sum: TRICKS, keys: state.seats } } },
    tricks.length === 0 && noNil(bids) && { type: 'tricks', fields: { taken: { sum: TRICKS, keys: sidesOf(state) } } },
    { type: 'trick', fields: { winner: { values: state.seats } } },
  ].filter(Boolean);
  return { deal, entries, closed: passedOn || tricks.length === TRICKS || taps.some(({ type }) => type === 'tricks') };
}

export const spader = {
  key: 'spader',
  usual: 'result',
  stack: false,
  hints: { score: 'spader_score', play: 'spader_cards' },
  sections: { spader_cards: ['3.1'], spader_bid: ['3.2'], spader_nil: ['3.3'], spader_score: ['3.3'], spader_redeal: ['3.2'], spader_end: ['3.4', '5'] },
  topics: ['spader_aim', 'spader_cards', 'spader_bid', 'spader_nil', 'spader_score', 'spader_redeal', 'spader_end'],
  course: ({ options }) => ({ start: 0, goal: options.target }),
  warning,
  centre: ({ options }) => [h('p', { class: 'emblem' }, suit('S')), h('p', { class: 'over' }, t('points.target'), hint('spader_end')), h('p', { class: 'pot' }, options.target)],
  record: live,
  pack: () => packFrom('2'),
  first,
  tricks: TRICKS,
  retold,
  asks: [showing, sideBid, swapping, playing, byCount, byTrick],
  groups: (state, taken, keys) => sidesOf(state).map((side) => ({ ids: keys.includes(side) ? [side] : members(side), title: line(state, side, takenBy(side, taken)) })),
  tally: (state) => {
    const tricks = state.deal.tricks ?? [];
    const taken = Object.fromEntries(state.seats.map((id) => [id, tricks.filter((one) => one === id).length]));
    return sidesOf(state).map((side) => line(state, side, takenBy(side, taken))).join(' · ');
  },
};

const line = (state, side, count) => t('spader.line', { names: namesOf(side), bid: bidInWords(bidOf(state, side) ?? {}), count });
