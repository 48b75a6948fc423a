// Tricks: counted at the end, or one after the other as they are taken.

import { h, icon } from '../../ui/elements.js';
import { nameOf } from '../../core/session_store.js';
import { act } from '../../ui/page.js';
import { hueOf } from '../../ui/player_tokens.js';
import { namesOf, party } from '../../domain/points.js';
import { t } from '../../core/translator.js';
import { values } from './bidding.js';
import { announcements, finishing } from './card_questions.js';
import { pips, row } from '../../domain/seats.js';

/** Numbers to tap, each as large as a thumb. */
export const pad = (name, numbers, { chosen = null, may = () => true, pick, words = String, said = null }) => h('div', { class: 'pad', role: 'group', 'aria-label': name },
  numbers.map((number) => h('button', {
    type: 'button', class: 'key', 'data-key': `${said ?? 'pad'}-${number}`, 'aria-pressed': String(number === chosen), disabled: !may(number), onclick: () => pick(number),
  }, words(number))));

export const upTo = (most, least = 0) => Array.from({ length: most - least + 1 }, (_, index) => index + least);

const stepper = (way, id, disabled, onclick) => h('button', {
  type: 'button', class: 'round', 'data-key': `${way}-${id}`, 'data-repeats': '', disabled, onclick, 'aria-label': t(`count.${way}`, { name: namesOf(id) }),
}, icon(way === 'less' ? 'minus' : 'plus'));

/** Everybody's tricks at once, or those of each side where they are enough: what the last one has follows from the others. */
export const byCount = {
  open: ({ of, depth, memo }) => (depth === 'result' || memo.count) && of('tricks').length > 0,
  draw: (context) => {
    const { of, game, hands, memo, state } = context;
    const { sum, keys } = of('tricks').at(-1).fields.taken; // fewest questions last
    const said = memo.taken ?? {};
    const order = game.groups?.(state, said, keys).flatMap(({ ids }) => ids) ?? keys; // asked as they stand on the screen
    const left = order.filter((id) => said[id] === undefined);
    const told = Object.values(said).reduce((one, other) => one + other, 0);
    const taken = left.length === 1 && told <= sum ? { ...said, [left[0]]: sum - told } : said;
    const counted = Object.values(taken).reduce((one, other) => one + other, 0);
    const complete = keys.every((id) => taken[id] !== undefined) && counted === sum;
    const active = keys.includes(memo.active) ? memo.active : left[0] ?? null;
    const other = keys.length > 2 ? said : {}; // of two, each follows from the other
    const set = (id, number) => hands.note({ taken: { ...other, [id]: number }, active: id === active ? null : active });
    const step = (id, way) => hands.note({ taken: { ...other, [id]: (taken[id] ?? 0) + way } });
    const line = (id) => h('li', { class: `counter ${hueOf(state, id)}${id === active ? ' turn' : ''}` },
      h('button', { type: 'button', class: 'who', 'data-key': `count-${id}`, 'aria-pressed': String(id === active), onclick: () => hands.note({ active: id }) },
        party(state, id), h('span', { class: 'dim' }, game.mark?.(state, id))),
      stepper('less', id, !taken[id], () => step(id, -1)),
      h('b', { class: 'tally', 'data-tally': id }, taken[id] ?? '–'),
      stepper('more', id, (taken[id] ?? 0) >= sum, () => step(id, 1)));
    const groups = game.groups?.(state, taken, keys) ?? [{ ids: keys }];
    return {
      question: complete || active === null ? t('count.check') : t('count.question', { name: namesOf(active) }),
      topic: game.hints.score,
      under: t('count.sum', { counted, sum }),
      main: [
        groups.map(({ title, ids }) => h('section', { class: 'side' }, title && h('h2', {}, title), h('ol', {}, ids.map(line)))),
        active !== null && pad(t('count.question', { name: namesOf(active) }), upTo(sum), {
          chosen: taken[active] ?? null,
          may: (number) => number <= sum - told + (said[active] ?? 0),
          pick: (number) => set(active, number),
        }),
      ],
      bar: [h('button', { type: 'button', class: 'button big', 'data-key': 'send', disabled: !complete,
        onclick: () => hands.send(t('record.complete'), { type: 'tricks', taken: Object.fromEntries(keys.map((id) => [id, taken[id]])) }) },
      complete ? hands.onward ?? t('record.send') : t('count.sum', { counted, sum }))],
    };
  },
};

/** The next trick: whose it is. */
export const byTrick = {
  open: ({ of }) => of('trick').length > 0,
  draw: (context) => {
    const { of, state, hands, game } = context;
    const tricks = state.deal.tricks ?? [];
    const number = tricks.length + 1;
    const ids = values(of('trick')[0], 'winner');
    return {
      question: t('record.who_took', { number }), topic: game.hints.winner ?? game.hints.score,
      under: game.tally?.(state),
      main: [row(state, ids, {
        pick: (winner) => hands.send(t('record.said_trick', { name: nameOf(winner), number }), { type: 'trick', winner }),
        marked: (id) => state.deal.declarers?.includes(id),
        under: (id) => pips(tricks.filter((one) => one === id).length),
      }), [...announcements(context)]],
      bar: [
        of('tricks').length > 0 && act('count', t('record.by_count'), () => hands.note({ count: true })),
        finishing(context),
      ],
    };
  },
};
