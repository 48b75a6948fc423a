// Statements: for the whole table or one player, to read and print, or to take into a spreadsheet.

import { h, icon } from '../dom.js';
import { evening } from '../evening.js';
import { pills } from '../fields.js';
import { show } from '../page.js';
import { markerOf } from '../players.js';
import { forPoints } from '../points.js';
import { session } from '../server.js';
import { sync } from '../sync.js';
import { language, t } from '../words.js';

export function statement({ id, home }) {
  let unit = forPoints(evening()) ? 'points' : 'money';
  const address = (format, player) => session(id, `/statement?format=${format}${player ? `&player=${player}` : ''}&unit=${unit}&lang=${language()}`);
  const download = (format, player) => h('a', {
    class: 'button', href: address(format, player), download: true, 'aria-label': t('statement.as', { format: format.toUpperCase() }),
  }, format.toUpperCase());
  const line = (name, mark, player) => h('li', { class: 'row' },
    h('a', { class: 'row-link', href: address('html', player), target: '_blank', rel: 'noopener', 'data-key': `statement-${player ?? 'all'}` },
      mark, h('bdi', { class: 'row-name' }, name), icon('on')),
    download('csv', player), download('json', player));
  const draw = (fresh) => {
    const state = evening();
    show({
      title: t('menu.statement'),
      back: home,
      aside: sync(),
      fresh,
      main: [
        h('p', { class: 'lead' }, t('statement.what')),
        forPoints(state) && state.balances !== null && pills('unit',
          [['points', t('statement.points')], ['money', t('statement.money')]], unit, (chosen) => { unit = chosen; draw(false); }),
        h('ul', { class: 'rows' },
          line(t('statement.all'), null, null),
          state.players.map((player) => line(player.name, markerOf(state, player.id), player.id))),
      ],
    });
  };
  draw(true);
  return { update: () => draw(false) };
}
