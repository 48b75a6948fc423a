// A new evening of the circle: asked as any other, but for who sits and what lies over since the last one.

import { getJson } from '../../core/api_client.js';
import { rememberGroup } from '../../core/device_storage.js';
import { isNameErased, t, weekdayName } from '../../core/translator.js';
import { carryForwardCard, carrySwitch } from '../../features/groups/carry_forward.js';
import { fetchGroupSession, groupPath, openSession, warnOfTrouble,
  writeToGroup } from '../../features/groups/group_client.js';
import { memberSeats } from '../../features/groups/seats.js';
import { h } from '../../ui/elements.js';
import { fieldError } from '../../ui/fields.js';
import { announce } from '../../ui/page.js';
import { isSameName } from '../../ui/player_tokens.js';
import { openingScreen } from '../opening.js';
import { sessionDay } from './group.js';

export async function newGroupSessionScreen({ id, circle, home, isCurrent }) {
  const latest = circle.evenings.at(-1);
  const before = latest ? await fetchGroupSession(latest) : null;
  if (!isCurrent()) return null;
  return openingScreen({ isCurrent, backHref: home, company: previousCompany(id, circle, latest, before) });
}

/** Who plays, for the screen where an evening is agreed on. */
function previousCompany(id, circle, latest, before) {
  const { members, to_carry: over } = circle;
  const known = new Set(members.filter((one) => !isNameErased(one)).map((one) => one.id));
  const was = (before?.seats ?? []).map((player) => latest.members[player]).filter((one) => known.has(one));
  const table = { members, seats: [], chosen: null, last: was,
    choose: (dealer) => { table.chosen = dealer; } };
  table.dealer = () => (table.seats.includes(table.chosen) ? table.chosen
    : nextDealerIndex(before, latest, table.seats));
  const card = h('div', {});
  const play = { carry: null };

  const guest = async (name) => {
    const there = members.find((one) => isSameName(one.name, name));
    if (there) return table.seats.includes(there.id) ? null : there.id;
    try {
      const made = await writeToGroup(groupPath(id, '/members'), { name });
      members.push(made);
      announce(t('seating.joined', { name }));
      return made.id;
    } catch (trouble) {
      warnOfTrouble(trouble);
      return null;
    }
  };

  const lay = (wish, rules) => {
    if (!over) return;
    play.currency = wish.currency;
    card.replaceChildren(carryForwardCard(over, circle, rules, play,
      sessionDay(circle.evenings, over.session)));
  };

  return {
    title: weekdayName(),
    kept: before && { game: before.game, currency: before.currency,
      options: { [before.game]: { currency: before.currency, values: before.options } } },
    ask: (wish, rules) => memberSeats(table, rules, guest),
    beside: (wish, rules) => { lay(wish, rules); return card; },
    changed: lay,
    opened: (state) => rememberGroup({ ...circle, evenings: [...circle.evenings, { session: state.id }] }),
    /** Another phone began tonight's evening just now: everybody is in that one. Whether it was so. */
    async refused({ code, body }) {
      if (code !== 'evening_is_open' || body.session === over?.session) return false;
      const found = await getJson(groupPath(id)).catch(() => circle);
      const begun = found.evenings.find(({ session }) => session === body.session);
      if (begun) await openSession(begun);
      return begun !== undefined;
    },
    agreed(wish, rules, form) {
      const { min } = rules.players;
      if (table.seats.length < min) {
        fieldError(form, '/members', t('opening.too_few', { count: min }));
        form.querySelector('.plates').scrollIntoView({ block: 'center' });
        return null;
      }
      return {
        path: groupPath(id, '/evenings'),
        body: { members: table.seats, first_dealer: table.dealer(),
          carry: carrySwitch(over, rules, { ...play, currency: wish.currency }) },
        onForm: (pointer) => pointer.replace(/^\/members\/.*/, '/members'),
      };
    },
  };
}

/** Whose turn it is to deal: who would have dealt next, or the first after him who sits tonight. */
function nextDealerIndex(before, latest, seated) {
  if (!before) return seated[0];
  const first = before.seats.indexOf(before.deal.dealer);
  const round = [...before.seats.slice(first), ...before.seats.slice(0, first)]
    .map((player) => latest.members[player]);
  return round.find((one) => seated.includes(one)) ?? seated[0];
}
