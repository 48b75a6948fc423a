// A game explained, a fold for each thing people ask about; away from the table, all games one after the other.

import { h } from '../dom.js';
import { GAMES, gameNamed, gameOf } from '../games/index.js';
import { everything } from '../help.js';
import { show } from '../page.js';
import { t } from '../words.js';

export async function rules({ game = null, back, still }) {
  const games = game === null ? await Promise.all(Object.keys(GAMES).map(gameOf)) : [game];
  if (!still()) return null;
  show({
    title: t('menu.rules'), back, fresh: true,
    main: games.map(({ key, topics }) => h('section', {}, h('h2', {}, gameNamed(key)), h('p', { class: 'lead' }, t(`rules.${key}`)), everything(topics))),
  });
  return {};
}
