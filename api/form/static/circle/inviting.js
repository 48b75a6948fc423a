// Letting others in to the circle.

import { waysIn } from '../links.js';
import { show } from '../page.js';
import { get } from '../server.js';
import { t } from '../words.js';
import { at } from './book.js';

export async function inviting({ id, home, still }) {
  const { links } = await get(at(id, '/links'));
  if (!still()) return null;
  show({ title: t('menu.share'), back: home, fresh: true, main: [waysIn(links, (role) => t(`circle.${role}.may`))] });
  return {};
}
