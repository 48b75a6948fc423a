// The statement of a circle or of one of its members, over all their evenings for money in one currency.

import { within } from '../../ui/days.js';
import { h } from '../../ui/elements.js';
import { dressed } from '../../core/stylesheets.js';
import { checkingPage, wished, wishing } from '../../features/statement_form.js';
import { show } from '../../ui/page.js';
import { get } from '../../core/api_client.js';
import { t } from '../../core/translator.js';
import { at } from '../../features/groups/group_client.js';
import { chosenOf, currencies, currenciesOf } from '../../features/groups/currencies.js';
import { member } from '../../features/groups/member_tokens.js';

export async function statement({ id, circle: { members, name }, home, still }) {
  await dressed('settling');
  const { evenings } = await get(at(id, '/standings'));
  if (!still()) return null;
  const page = (main) => show({ title: t('menu.statement'), back: home, fresh: true, main });
  if (currenciesOf(evenings).length === 0) { page([h('p', { class: 'empty' }, t('statement.no_money'))]); return {}; }

  const wish = { ...wished(), currency: null };
  // Only what was played in before the period ends can be asked for; a choice that comes back with it still stands.
  const known = () => currenciesOf(evenings.filter(({ begun_at: begun }) => within(begun, wish.to)));
  const chosen = () => chosenOf(known(), wish.currency);
  const wishes = wishing(wish, {
    all: t('statement.whole_circle'),
    people: () => members.map((one) => [one.id, member(members, one.id)]),
    more: (changed) => currencies(known(), chosen(), (currency) => { wish.currency = currency; changed(); }),
    about: () => ({ ...(known().length > 0 && { currency: chosen() }), ...(wish.whose && { member: wish.whose }) }),
    at: (rest) => at(id, rest),
    called: (ending) => `${name}${ending}`,
    checks: () => [h('p', {}, t('check.of_circle')), checkingPage()],
  });
  wishes.draw();
  page([h('p', { class: 'lead' }, t('statement.of_circle')), wishes.node]);
  return {};
}
