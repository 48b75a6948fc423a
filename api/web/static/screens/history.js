// Every deal of the evening, latest first, each with its sentence; a tap shows how the money went, another corrects it.
// Above them the way back in time; beneath them what came along from the evening before.

import { broughtTo, cameAlong } from '../features/groups/along.js';
import { fate, mayCorrect } from '../features/correcting/may.js';
import { writers } from '../features/access/wrote.js';
import { h, icon } from '../ui/elements.js';
import { dressed } from '../core/stylesheets.js';
import { evening, nameOf } from '../core/session_store.js';
import { refill, show } from '../ui/page.js';
import { writerOf } from '../core/money_format.js';
import { markerOf } from '../ui/player_tokens.js';
import { markersOf, signed } from '../domain/points.js';
import { changes } from '../ui/posting_lines.js';
import { get, session } from '../core/api_client.js';
import { sync } from '../features/sync_status.js';
import { timeline } from './timeline.js';
import { speakAlso, t } from '../core/translator.js';

export async function history({ id, game, home, still }) {
  const fetchAll = async () => (await get(session(id, '/deals'))).deals;
  const began = evening().brought_from ?? null;
  let [deals, brought] = await Promise.all([fetchAll(), began && broughtTo(id), began && dressed('circle'), speakAlso('history.')]);
  if (!still()) return null;
  let version = evening().version;
  let wrote = () => '';
  const sign = () => writers(deals).then((told) => { wrote = told; if (still()) fill(); }, () => null);
  const list = h('div', {});
  const time = timeline({ id, game, moved: (past) => { list.hidden = past; } });
  const fill = () => refill(list,
    deals.length === 0 && h('p', { class: 'empty' }, t('history.empty')),
    (deals.length > 0 || brought) && h('ol', { class: 'rows', reversed: true }, deals.toReversed().map((one) => line(evening(), game, one, home, wrote(one))),
      brought && cameAlong(evening(), brought)));
  const draw = (fresh) => {
    fill();
    show({ title: t('menu.history'), back: home, aside: sync(), fresh, main: [deals.length > 0 && time.node, list] });
  };
  draw(true);
  sign();
  return {
    update: async (state) => {
      time.grow(state.version);
      if (state.version !== version) {
        version = state.version;
        deals = await fetchAll().catch(() => deals);
        if (!still()) return;
        sign();
      }
      if (time.past()) fill(); // a page drawn again would take the slider out of the hand that holds it
      else draw(false);
    },
  };
}

/** Who won it, and what: the badge, and the sum or the points. */
function won(state, game, { outcome, postings }) {
  const points = Object.entries(outcome?.points ?? {});
  if (points.length > 0) {
    const { start, goal } = game.course(state);
    const ahead = goal > start ? 1 : -1;
    const [keeper, gave] = points.reduce((best, one) => (ahead * one[1] > ahead * best[1] ? one : best));
    return h('span', { class: 'took' }, markersOf(state, keeper), h('b', { class: 'amount' }, signed(gave)));
  }
  if (!outcome?.winner) return null;
  const sum = changes(postings).get(`player:${outcome.winner}`) ?? 0;
  return h('span', { class: 'took' }, markerOf(state, outcome.winner), h('b', { class: 'amount' }, writerOf(state, [sum]).signed(sum)));
}

function line(state, game, one, home, wrote) {
  return h('li', { class: 'row' },
    h('a', { class: 'row-link', href: `${home}/deal/${one.number}`, 'data-key': `deal-${one.number}` },
      h('span', { class: 'nth' }, one.number),
      h('span', { class: 'row-name' },
        h('span', { class: 'said' }, one.outcome?.text ?? t('table.open_deal', { number: one.number })),
        h('span', { class: 'dim by' }, [t('result.dealer', { name: nameOf(one.dealer) }), wrote].filter(Boolean).join(' · '), ' ', fate(one))),
      won(state, game, one)),
    mayCorrect(state, one) && h('a', { class: 'round', href: `${home}/correct/${one.number}`, 'data-key': `correct-${one.number}`, 'aria-label': t('correct.title', { number: one.number }) }, icon('pen')));
}
