// Who pays whom so that everybody is even: the fewest transfers, as the server counted them.

import { coins } from '../coins.js';
import { h, icon } from '../dom.js';
import { evening, nameOf, refresh, write } from '../evening.js';
import { roleIn } from '../memory.js';
import { writerOf } from '../money.js';
import { act, go, say, show, warn } from '../page.js';
import { person } from '../players.js';
import { get, Problem, session } from '../server.js';
import { sync } from '../sync.js';
import { t } from '../words.js';

// What lies in pot and bets is nobody's yet: the plan pays it to the box, which no player can mark as paid.
const BOX = 'pot';
const between = ({ from, to }) => from !== BOX && to !== BOX;
const place = (state, id, amount) => (id === BOX
  ? h('span', { class: 'person thing' }, coins(amount, state.options.stake), h('span', { class: 'name' }, t('table.round')))
  : person(state, id));

export async function settlement({ id, home, still }) {
  let known = await get(session(id, '/settlement'));
  if (!still()) return null;

  const paid = async ({ from, to, amount }, button) => {
    button.disabled = true;
    try {
      await write('/transfers', { from, to, amount });
      say(t('settle.noted', { from: nameOf(from), to: nameOf(to) }));
    } catch (trouble) {
      if (!(trouble instanceof Problem)) throw trouble;
      await refresh();
      warn(trouble.message);
      button.disabled = false;
    }
  };

  const draw = (fresh) => {
    const state = evening();
    const money = writerOf(state);
    const lying = state.pot + state.bets.reduce((sum, bet) => sum + bet.amount, 0);
    show({
      title: t('menu.settle'),
      back: home,
      aside: sync(),
      fresh,
      main: [
        known.transfers.length === 0 ? h('p', { class: 'empty' }, t('settle.even')) : [
          h('p', { class: 'lead' }, t('settle.count', { count: known.transfers.length })),
          h('ul', { class: 'rows' }, known.transfers.map((one) => h('li', { class: 'row transfer' },
            h('span', { class: 'flow' }, place(state, one.from, one.amount),
              h('span', { class: 'way' }, h('b', {}, money.plain(one.amount)), icon('arrow'), h('span', { class: 'aside' }, t('money.to'))),
              place(state, one.to, one.amount)),
            between(one) && roleIn(id) !== 'viewer'
              && act(`paid-${one.from}-${one.to}`, t('settle.paid'), (event) => paid(one, event.currentTarget)))))],
        lying > 0 && h('p', { class: 'dim' }, t('settle.lying', { amount: money.plain(lying) })),
      ],
      bar: [go('statement', t('menu.statement'), `${home}/statement`), go('table', t('result.table'), home, { big: true })],
    });
  };
  draw(true);
  return {
    update: async (state) => {
      if (state.version === known.version) { draw(false); return; }
      known = await get(session(id, '/settlement')).catch(() => known);
      if (still()) draw(false);
    },
  };
}
