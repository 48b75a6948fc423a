// A new evening of the circle: asked as any other, but for who sits and what lies over since the last one.

import { h } from '../../ui/elements.js';
import { erased } from '../../core/erased.js';
import { wrong } from '../../ui/fields.js';
import { rememberCircle } from '../../core/device_storage.js';
import { say } from '../../ui/page.js';
import { same } from '../../ui/player_tokens.js';
import { get } from '../../core/api_client.js';
import { opening } from '../opening.js';
import { whenOf } from './group.js';
import { t, weekday } from '../../core/translator.js';
import { at, go, stateOf, told, write } from '../../features/groups/group_client.js';
import { carries, carryCard } from '../../features/groups/carry_forward.js';
import { seats } from '../../features/groups/seats.js';

export async function tonight({ id, circle, home, still }) {
  const latest = circle.evenings.at(-1);
  const before = latest ? await stateOf(latest) : null;
  if (!still()) return null;
  return opening({ still, back: home, company: company(id, circle, latest, before) });
}

/** Who plays, for the screen where an evening is agreed on. */
function company(id, circle, latest, before) {
  const { members, to_carry: over } = circle;
  const known = new Set(members.filter((one) => !erased(one)).map((one) => one.id));
  const was = (before?.seats ?? []).map((player) => latest.members[player]).filter((one) => known.has(one));
  const table = { members, seats: [], chosen: null, last: was, choose: (dealer) => { table.chosen = dealer; } };
  table.dealer = () => (table.seats.includes(table.chosen) ? table.chosen : turn(before, latest, table.seats));
  const card = h('div', {});
  const play = { carry: null };

  const guest = async (name) => {
    const there = members.find((one) => same(one.name, name));
    if (there) return table.seats.includes(there.id) ? null : there.id;
    try {
      const made = await write(at(id, '/members'), { name });
      members.push(made);
      say(t('seating.joined', { name }));
      return made.id;
    } catch (trouble) {
      told(trouble);
      return null;
    }
  };

  const lay = (wish, rules) => {
    if (!over) return;
    play.currency = wish.currency;
    card.replaceChildren(carryCard(over, circle, rules, play, whenOf(circle.evenings, over.session)));
  };

  return {
    title: weekday(),
    kept: before && { game: before.game, currency: before.currency, options: { [before.game]: { currency: before.currency, values: before.options } } },
    ask: (wish, rules) => seats(table, rules, guest),
    beside: (wish, rules) => { lay(wish, rules); return card; },
    changed: lay,
    opened: (state) => rememberCircle({ ...circle, evenings: [...circle.evenings, { session: state.id }] }),
    /** Another phone began tonight's evening just now: everybody is in that one. Whether it was so. */
    async refused({ code, body }) {
      if (code !== 'evening_is_open' || body.session === over?.session) return false;
      const found = await get(at(id)).catch(() => circle);
      const begun = found.evenings.find(({ session }) => session === body.session);
      if (begun) await go(begun);
      return begun !== undefined;
    },
    agreed(wish, rules, form) {
      const { min } = rules.players;
      if (table.seats.length < min) {
        wrong(form, '/members', t('opening.too_few', { count: min }));
        form.querySelector('.plates').scrollIntoView({ block: 'center' });
        return null;
      }
      return {
        path: at(id, '/evenings'),
        body: { members: table.seats, first_dealer: table.dealer(), carry: carries(over, rules, { ...play, currency: wish.currency }) },
        onForm: (pointer) => pointer.replace(/^\/members\/.*/, '/members'),
      };
    },
  };
}

/** Whose turn it is to deal: who would have dealt next, or the first after him who sits tonight. */
function turn(before, latest, seated) {
  if (!before) return seated[0];
  const first = before.seats.indexOf(before.deal.dealer);
  const round = [...before.seats.slice(first), ...before.seats.slice(0, first)].map((player) => latest.members[player]);
  return round.find((one) => seated.includes(one)) ?? seated[0];
}
