// Every deal of the evening, latest first, each with its sentence; a tap shows how the money went.

import { h } from '../dom.js';
import { evening, nameOf } from '../evening.js';
import { show } from '../page.js';
import { markerOf } from '../players.js';
import { get, session } from '../server.js';
import { sync } from '../sync.js';
import { t } from '../words.js';

export async function history({ id, home, still }) {
  const fetchAll = async () => (await get(session(id, '/deals'))).deals;
  let deals = await fetchAll();
  if (!still()) return null;
  let version = evening().version;
  const draw = (fresh) => show({
    title: t('menu.history'),
    back: home,
    aside: sync(),
    fresh,
    main: [deals.length === 0
      ? h('p', { class: 'empty' }, t('history.empty'))
      : h('ol', { class: 'rows', reversed: true }, deals.toReversed().map((one) => line(evening(), one, home)))],
  });
  draw(true);
  return {
    update: async (state) => {
      if (state.version === version) { draw(false); return; }
      version = state.version;
      deals = await fetchAll().catch(() => deals);
      if (still()) draw(false);
    },
  };
}

function line(state, one, home) {
  return h('li', { class: 'row' },
    h('a', { class: 'row-link', href: `${home}/deal/${one.number}`, 'data-key': `deal-${one.number}` },
      h('span', { class: 'nth' }, one.number),
      h('span', { class: 'row-name' },
        h('span', { class: 'said' }, one.outcome?.text ?? t('table.open_deal', { number: one.number })),
        h('span', { class: 'dim by' }, t('result.dealer', { name: nameOf(one.dealer) }))),
      markerOf(state, one.dealer)));
}
