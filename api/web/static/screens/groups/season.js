// A season in pictures: everybody's way up and down, who wins what he declares, and the numbers beneath.

import { at, told } from '../../features/groups/group_client.js';
import { bars } from '../../ui/bars.js';
import { chosenOf, currencies, currenciesOf } from '../../features/groups/currencies.js';
import { byEvening, byMember } from '../../ui/figures.js';
import { lines } from '../../ui/lines.js';
import { asked, period } from '../../features/groups/period.js';
import { h } from '../../ui/elements.js';
import { digits, writer } from '../../core/money_format.js';
import { go, show } from '../../ui/page.js';
import { get } from '../../core/api_client.js';
import { shortDate, t } from '../../core/translator.js';

export async function season({ id, home, still }) {
  const wish = { span: 'all', from: '', to: '', currency: null, who: null };
  let told_of = '';
  let standings = await get(at(id, `/standings?${asked(wish)}`));
  if (!still()) return null;

  const ask = async () => {
    const wanted = asked(wish);
    told_of = wanted;
    try {
      const found = await get(at(id, `/standings?${wanted}`));
      if (wanted !== told_of || !still()) return; // somebody has asked for something else since
      standings = found;
    } catch (trouble) {
      told(trouble);
    }
    draw();
  };

  const draw = (fresh = false) => show({
    title: t('season.title'), back: home, fresh,
    main: [period(wish, ask), pictures(standings, wish, draw)],
    bar: [go('statement', t('menu.statement'), `${home}/statement`, { big: true })],
  });
  draw(true);
  return {};
}

/** Everything that was counted in this period, in one currency at a time. */
function pictures({ members, evenings }, wish, draw) {
  const everything = wish.span === 'all';
  const played = members.filter(({ deals }) => deals > 0);
  if (played.length === 0) return h('p', { class: 'empty' }, everything ? t('season.empty') : t('season.empty_period'));
  const known = currenciesOf(evenings);
  wish.currency = chosenOf(known, wish.currency);
  const { currency, who } = wish;
  const nights = evenings.filter((one) => one.results !== null && one.currency === currency);
  const money = currency === null ? null : writer(currency, nights.flatMap(({ results, totals }) => [...Object.values(results), ...Object.values(totals)]));
  const count = (title, of, says) => bars({ title, members: played, who, of, says });
  return [
    currencies(known, currency, (code) => { wish.currency = code; draw(); }),
    money && h('section', {}, h('h2', {}, t('season.lines')),
      lines({
        steps: nights, members, write: money, unit: 10 ** digits(currency), who, pick: (picked) => { wish.who = picked; draw(); }, title: t('season.lines'),
        ends: [shortDate(nights[0].begun_at), nights.length > 1 && shortDate(nights.at(-1).begun_at)],
      })),
    money && byEvening(nights, members, money),
    count(t('season.declared'), (one) => [one.declared, one.won_declaring], (one) => t('season.of', { won: one.won_declaring, all: one.declared })),
    count(t('season.bets'), (one) => [one.bets_laid, one.bets_laid],
      (one) => t('season.laid', { count: one.bets_laid, amount: money?.plain(one.laid[currency] ?? 0) ?? '' })),
    count(t('season.la_vola'), (one) => [one.la_volas + one.la_volas_lost, one.la_volas], (one) => (one.la_volas + one.la_volas_lost > 0 ? t('season.won_lost', { won: one.la_volas, lost: one.la_volas_lost }) : '–')),
    count(t('season.games'), (one) => [one.games_won, one.games_won], (one) => String(one.games_won)),
    byMember(played, currency, money),
  ];
}
