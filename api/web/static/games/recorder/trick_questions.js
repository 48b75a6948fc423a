// Questions about tricks: counted at the end, or one after the other.

import { playerName } from '../../core/session_store.js';
import { t } from '../../core/translator.js';
import { sumOf } from '../../domain/amounts.js';
import { h } from '../../ui/elements.js';
import { numberPad, numbersUpTo, stepperButton } from '../../ui/fields.js';
import { actionButton } from '../../ui/page.js';
import { hueOfPlayer, playerRow, sideLabel, sideNames, trickPips } from '../../ui/player_tokens.js';
import { allowedValues, announcementButtons, finishButton } from './card_questions.js';
import { announceWithQuestion } from './recorder_view.js';

/**
 * The tricks of each player, or of each side where that is enough. The last count follows from the others,
 * and so do all that are missing once no trick is left.
 */
export const countQuestion = {
  isOpen: ({ legalActionsOf, depth, memo }) => (depth === 'result' || memo.count)
    && legalActionsOf('tricks').length > 0,
  draw: (context) => {
    const { legalActionsOf, game, handlers, memo, state } = context;
    // The count with the fewest questions comes last.
    const { sum, keys } = legalActionsOf('tricks').at(-1).fields.taken;
    const counts = memo.taken ?? {};
    // Asks in the order of the screen, which a game may group by sides or by who plays.
    const order = game.countGroups?.(state, counts, keys).flatMap(({ ids }) => ids) ?? keys;
    const uncounted = order.filter((id) => counts[id] === undefined);
    const countedSum = sumOf(Object.values(counts));
    const rest = sum - countedSum;
    const completed = rest === 0 || (rest > 0 && uncounted.length === 1)
      ? { ...counts, ...Object.fromEntries(uncounted.map((id) => [id, rest])) } : counts;
    const counted = sumOf(Object.values(completed));
    const complete = keys.every((id) => completed[id] !== undefined) && counted === sum;
    const active = keys.includes(memo.active) ? memo.active : uncounted[0] ?? null;
    const otherCounts = keys.length > 2 ? counts : {}; // of two counts, each follows from the other
    // Without an active player, the first one who is not counted is asked next.
    const record = (id, number, change = {}) => {
      handlers.remember({ taken: { ...otherCounts, [id]: number }, ...change });
      announceWithQuestion(`${sideNames(id)} ${number}`);
    };
    const set = (id, number) => record(id, number, { active: id === active ? null : active });
    const step = (id, way) => record(id, (completed[id] ?? 0) + way);
    const line = (id) =>
      h('li', { class: `counter ${hueOfPlayer(state, id)}${id === active ? ' turn' : ''}` },
      h('button', { type: 'button', class: 'player-line', 'data-key': `count-${id}`,
        'aria-pressed': String(id === active), onclick: () => handlers.remember({ active: id }) },
        sideLabel(state, id), h('span', { class: 'muted' }, game.mark?.(state, id))),
      stepperButton('less', id, !completed[id], () => step(id, -1)),
      h('b', { class: 'counted', 'data-tally': id }, completed[id] ?? '–'),
      stepperButton('more', id, (completed[id] ?? 0) >= sum, () => step(id, 1)));
    const groups = game.countGroups?.(state, completed, keys) ?? [{ ids: keys }];
    return {
      question: complete || active === null ? t('count.check')
        : t('count.question', { name: sideNames(active) }),
      topic: game.hints.score,
      caption: t('count.sum', { counted, sum }),
      main: [
        groups.map(({ title, ids }) => h('section', { class: 'side' }, title && h('h2', {}, title),
          h('ol', {}, ids.map(line)))),
        active !== null && numberPad(t('count.question', { name: sideNames(active) }), numbersUpTo(sum), {
          chosen: completed[active] ?? null,
          may: (number) => number <= rest + (counts[active] ?? 0),
          pick: (number) => set(active, number),
        }),
      ],
      bar: [actionButton('send',
        complete ? handlers.completeLabel ?? t('record.send') : t('count.sum', { counted, sum }),
        () => handlers.send(t('record.complete'),
          { type: 'tricks', taken: Object.fromEntries(keys.map((id) => [id, completed[id]])) }),
        { primary: true, disabled: !complete })],
    };
  },
};

/** Who took the next trick. */
export const trickQuestion = {
  isOpen: ({ legalActionsOf }) => legalActionsOf('trick').length > 0,
  draw: (context) => {
    const { legalActionsOf, state, handlers, game } = context;
    const tricks = state.deal.tricks ?? [];
    const number = tricks.length + 1;
    const ids = allowedValues(legalActionsOf('trick')[0], 'winner');
    return {
      question: t('record.who_took', { number }), topic: game.hints.winner ?? game.hints.score,
      caption: game.tally?.(state),
      main: [playerRow(state, ids, {
        pick: (winner) => handlers.send(t('record.said_trick', { name: playerName(winner), number }),
          { type: 'trick', winner }),
        marked: (id) => state.deal.declarers?.includes(id),
        caption: (id) => trickPips(tricks.filter((winner) => winner === id).length),
      }), [...announcementButtons(context)]],
      bar: [
        legalActionsOf('tricks').length > 0 && actionButton('count', t('record.by_count'),
          () => handlers.remember({ count: true })),
        finishButton(context),
      ],
    };
  },
};
