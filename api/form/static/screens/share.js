// Others at the table: a code to photograph for each thing they may do; and the way to be forgotten.

import { h } from '../dom.js';
import { evening } from '../evening.js';
import { forgetting } from '../forgetting.js';
import { waysIn } from '../links.js';
import { roleIn } from '../memory.js';
import { show } from '../page.js';
import { get, Problem, session } from '../server.js';
import { sync } from '../sync.js';
import { t } from '../words.js';

export async function share({ id, home, argument, still }) {
  let links = [];
  let refused = null;
  try {
    ({ links } = await get(session(id, '/links')));
  } catch (trouble) {
    if (!(trouble instanceof Problem)) throw trouble;
    refused = trouble.message;
  }
  if (!still()) return null;
  show({
    title: t('menu.share'),
    back: home,
    aside: evening() && sync(),
    fresh: true,
    main: [
      refused ? h('p', { class: 'empty' }, refused) : waysIn(links, (role) => t(`role.${role}.may`)),
      roleIn(id) === 'host' && forgetting({ home, open: argument === 'forget' }),
    ],
  });
  if (argument === 'forget') document.querySelector('[data-key=forgetting]')?.scrollIntoView();
  return {};
}
