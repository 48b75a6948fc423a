// Who pays whom so that everybody is even: the fewest transfers, as the server counted them.

import { coins } from '../coins.js';
import { h, icon } from '../dom.js';
import { evening, nameOf, refresh, write } from '../evening.js';
import { roleIn } from '../memory.js';
import { lying as onTable, writerOf } from '../money.js';
import { act, go, say, show, warn } from '../page.js';
import { person } from '../players.js';
import { forPoints } from '../points.js';
import { get, Problem, session } from '../server.js';
import { sync } from '../sync.js';
import { t } from '../words.js';

// What lies in pot and bets is nobody's yet: the plan pays it to the box, which no player can mark as paid.
const BOX = 'pot';
const between = ({ from, to }) => from !== BOX && to !== BOX;
const place = (state, id, amount) => (id === BOX
  ? h('span', { class: 'person thing' }, coins(amount, state.options.stake), h('span', { class: 'name' }, t('settle.box')))
  : person(state, id));

export async function settlement({ id, home, still }) {
  let known = await get(session(id, '/settlement'));
  if (!still()) return null;
  const noted = []; // marked as paid here just now: a slip of the thumb can be taken back
  const mayMark = roleIn(id) !== 'viewer';

  const send = async ({ from, to, amount }, button, done) => {
    button.disabled = true;
    try {
      await write('/transfers', { from, to, amount });
      done();
      draw(false);
    } catch (trouble) {
      if (!(trouble instanceof Problem)) throw trouble;
      await refresh();
      warn(trouble.message);
      button.disabled = false;
    }
  };
  const paid = (one, button) => send(one, button, () => {
    noted.push(one);
    say(t('settle.noted', { from: nameOf(one.from), to: nameOf(one.to) }));
  });
  const takeBack = (one, button) => send({ ...one, from: one.to, to: one.from }, button, () => {
    noted.splice(noted.indexOf(one), 1);
    say(t('undo.done'));
  });

  const draw = (fresh) => {
    const state = evening();
    const money = writerOf(state, [...known.transfers, ...noted].map(({ amount }) => amount));
    const lying = onTable(state);
    const line = (one, ...rest) => h('li', { class: 'row transfer' },
      h('span', { class: 'flow' }, place(state, one.from, one.amount),
        h('span', { class: 'way' }, h('b', {}, money.plain(one.amount)), icon('arrow'), h('span', { class: 'aside' }, t('money.to'))),
        place(state, one.to, one.amount)), rest);
    show({
      title: t('menu.settle'),
      back: home,
      aside: sync(),
      fresh,
      main: [
        lying > 0 && remaining(state, money.plain(lying), home),
        forPoints(state) && state.status === 'open' && h('div', { class: 'banner' }, h('p', {}, t('closing.pays', { amount: money.plain(state.options.point_value) })), toClose(state, home)),
        known.transfers.length === 0 ? h('p', { class: 'empty' }, t('settle.even')) : [
          h('p', { class: 'lead' }, t('settle.count', { count: known.transfers.length })),
          h('ul', { class: 'rows' }, known.transfers.map((one) => line(one, between(one) && mayMark
            && act(`paid-${one.from}-${one.to}`, t('settle.paid'), (event) => paid(one, event.currentTarget)))))],
        noted.length > 0 && h('section', {}, h('h2', {}, t('settle.marked')),
          h('ul', { class: 'rows' }, noted.map((one) => line(one,
            act(`back-${one.from}-${one.to}`, t('undo.label'), (event) => takeBack(one, event.currentTarget), { mark: 'undo' }))))),
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

/** Money that is nobody's: decide about it first, or (when that is done) somebody has to keep it. */
function remaining(state, amount, home) {
  if (state.status === 'closed') return h('p', { class: 'banner' }, t('settle.kept', { amount }));
  return h('div', { class: 'banner' }, h('p', {}, t('settle.lying', { amount })),
    toClose(state, home));
}

const toClose = (state, home) => roleIn(state.id) === 'host'
  && h('p', {}, h('a', { class: 'link', href: `${home}/close`, 'data-key': 'to-close' }, t('menu.close')));
