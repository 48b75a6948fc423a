// The right that this phone has to an evening: its own, which says who writes, is not given up for a link's.

import { phoneIn, recall, remember, rememberPhone, roleIn } from '../../core/device_storage.js';
import { same } from '../../ui/player_tokens.js';
import { exchange, get, request, session } from '../../core/api_client.js';

const WIDTHS = ['viewer', 'scorer', 'host'];
const widthOf = (token) => WIDTHS.findIndex((role) => token.startsWith(role));

/** Whether a phone that has been in before stays what it is: a link gives no more, and it has not been shut out. */
export const stays = async (id, token) => widthOf(token) <= WIDTHS.indexOf(roleIn(id))
  && get(session(id)).then(() => true, () => false);

/** From now on this phone has a right of its own. `phone`: what the server tells of it. */
export async function own(id, token, { id: phone, role, player }) {
  await exchange(id, token);
  rememberPhone(id, phone, role);
  if (player) remember(`holder.${id}`, player);
  asked(id);
}

/** The same for a phone that knows no more than its token, which begins with the phone's number. */
export async function comeIn(id, token) {
  const { body } = await request('GET', session(id, '/phones'), { headers: { Authorization: `Bearer ${token}` } });
  const phone = body.phones.find((one) => one.id === token.split('.')[0]);
  await own(id, token, phone);
  // who comes in under a player's very name is taken for that player, on this phone's own screen only
  const { players } = await get(session(id));
  const called = players.find(({ name }) => phone.label !== null && same(name, phone.label));
  if (called && !phone.player) remember(`holder.${id}`, called.id);
}

/** Whose phone this is was asked, and is not asked again in this evening. */
export const asked = (id) => remember(`asked.${id}`, true);
export const mayAsk = (id) => phoneIn(id) === null && recall(`asked.${id}`) === null;
