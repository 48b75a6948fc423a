// The statement of a group or of one member, over all their sessions for money in one currency.

import { getJson } from '../../core/api_client.js';
import { loadAllSentences, t } from '../../core/translator.js';
import { groupPath } from '../../features/groups/group_client.js';
import { chosenCurrency, currencyChoice, usedCurrencies } from '../../features/groups/period.js';
import { statementForm, statementQuery, verifyPageLink } from '../../features/statement_form.js';
import { h } from '../../ui/elements.js';
import { isWithin } from '../../ui/fields.js';
import { memberLabel } from '../../ui/member_tokens.js';
import { showScreen } from '../../ui/page.js';

export async function groupStatementScreen({ id, circle: { members, name }, home, isCurrent }) {
  await loadAllSentences();
  const { evenings } = await getJson(groupPath(id, '/standings'));
  if (!isCurrent()) return null;
  const page = (main) => showScreen({ title: t('menu.statement'), backHref: home, fresh: true, main });
  if (usedCurrencies(evenings).length === 0) { page([h('p', { class: 'empty' },
    t('statement.no_money'))]); return {}; }

  const wish = { ...statementQuery(), currency: null };
  // Only currencies used before the period ends are offered; an earlier choice stays if it is offered again.
  const currenciesNow = () =>
    usedCurrencies(evenings.filter(({ begun_at: startedAt }) => isWithin(startedAt, wish.to)));
  const chosen = () => chosenCurrency(currenciesNow(), wish.currency);
  const wishes = statementForm(wish, {
    all: t('statement.whole_circle'),
    people: () => members.map((member) => [member.id, memberLabel(members, member.id)]),
    more: (changed) =>
      currencyChoice(currenciesNow(), chosen(), (currency) => { wish.currency = currency; changed(); }),
    about: () =>
      ({ ...(currenciesNow().length > 0 && { currency: chosen() }),
        ...(wish.whose && { member: wish.whose }) }),
    at: (rest) => groupPath(id, rest),
    called: (ending) => `${name}${ending}`,
    checks: () => [h('p', {}, t('check.of_circle')), verifyPageLink()],
  });
  wishes.draw();
  page([h('p', { class: 'lead' }, t('statement.of_circle')), wishes.node]);
  return {};
}
