// The rules of a game, one fold for each topic; outside a session, those of all games. Each fold names the
// sections of the rules that deals and costs cite. Last, what does not depend on the game.

import { gameName, t } from '../core/translator.js';
import { GAMES } from '../domain/games.js';
import { loadGame } from '../games/registry.js';
import { h } from '../ui/elements.js';
import { paragraphs, showScreen } from '../ui/page.js';

const EVENING = { topics: ['costs', 'paper'], sections: { costs: ['10.1', '10.2', '10.3'] } };

/** `argument`: the section to open, if any. */
export async function rulesScreen({ game = null, backHref, isCurrent, argument }) {
  const games = game === null ? await Promise.all(GAMES.map(loadGame)) : [game];
  if (!isCurrent()) return null;
  const fold = ({ sections }, topic) => {
    const numbers = sections[topic] ?? [];
    return h('details', { class: 'disclosure', open: numbers.includes(argument) },
      h('summary', {}, h('span', { class: 'row-name' }, t(`help.${topic}.title`)),
        numbers.length > 0 && h('span', { class: 'muted row-note' },
        numbers.map((number) => `§${number}`).join(', '))),
      h('div', { class: 'prose' }, paragraphs(topic)));
  };
  showScreen({
    title: t('menu.rules'), backHref, fresh: true,
    main: [
      games.map((shownGame) => h('section', {}, h('h2', {}, gameName(shownGame.key)),
        h('p', { class: 'lead' }, t(`game.${shownGame.key}.about`)),
        shownGame.topics.map((topic) => fold(shownGame, topic)))),
      h('section', {}, h('h2', {}, t('rules.evening')),
        EVENING.topics.map((topic) => fold(EVENING, topic))),
    ],
  });
  const openTopic = argument && document.querySelector('details[open] > summary');
  openTopic?.scrollIntoView({ block: 'center' });
  openTopic?.focus({ preventScroll: true });
  return {};
}
