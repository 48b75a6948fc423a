// A season in charts: everybody's total, who wins what he declares, and the numbers below.

import { getJson } from '../../core/api_client.js';
import { formatDay, moneyWriter, t } from '../../core/translator.js';
import { currencyDigits } from '../../domain/amounts.js';
import { groupPath, warnOfTrouble } from '../../features/groups/group_client.js';
import { chosenCurrency, currencyChoice, periodFields, periodQuery,
  usedCurrencies } from '../../features/groups/period.js';
import { barChart, lineChart, resultsBySession, seasonByMember } from '../../ui/chart.js';
import { h } from '../../ui/elements.js';
import { actionLink, showScreen } from '../../ui/page.js';

export async function seasonScreen({ id, home, isCurrent }) {
  const wish = { span: 'all', from: '', to: '', currency: null, chosenMember: null };
  let requestedQuery = '';
  let standings = await getJson(groupPath(id, `/standings?${periodQuery(wish)}`));
  if (!isCurrent()) return null;

  const fetchPeriod = async () => {
    const query = periodQuery(wish);
    requestedQuery = query;
    try {
      const seasonStats = await getJson(groupPath(id, `/standings?${query}`));
      if (query !== requestedQuery || !isCurrent()) return; // another period was chosen in between
      standings = seasonStats;
    } catch (trouble) {
      warnOfTrouble(trouble);
    }
    draw();
  };

  const draw = (fresh = false) => showScreen({
    title: t('season.title'), backHref: home, fresh,
    main: [periodFields(wish, fetchPeriod), seasonCharts(standings, wish, draw)],
    bar: [actionLink('statement', t('menu.statement'), `${home}/statement`, { big: true })],
  });
  draw(true);
  return {};
}

/** Everything counted in this period, one currency at a time. */
function seasonCharts({ members, sessions }, wish, draw) {
  const isWholeLife = wish.span === 'all';
  const played = members.filter(({ deals }) => deals > 0);
  if (played.length === 0) return h('p', { class: 'empty' },
    isWholeLife ? t('season.empty') : t('season.empty_period'));
  const currencies = usedCurrencies(sessions);
  wish.currency = chosenCurrency(currencies, wish.currency);
  const { currency, chosenMember } = wish;
  const countedSessions = sessions
    .filter((evening) => evening.results !== null && evening.currency === currency);
  const money = currency === null ? null : moneyWriter(currency,
    countedSessions.flatMap(({ results, totals }) =>
      [...Object.values(results), ...Object.values(totals)]));
  const tallyChart = (title, of, describe) =>
    barChart({ title, members: played, chosenMember, of, describe });
  return [
    currencyChoice(currencies, currency, (code) => { wish.currency = code; draw(); }),
    money && h('section', {}, h('h2', {}, t('season.lines')),
      lineChart({
        steps: countedSessions, members, write: money, unit: 10 ** currencyDigits(currency), chosenMember,
        pick: (member) => { wish.chosenMember = member; draw(); }, title: t('season.lines'),
        ends: [formatDay(countedSessions[0].created_at),
          countedSessions.length > 1 && formatDay(countedSessions.at(-1).created_at)],
      })),
    money && resultsBySession(countedSessions, members, money),
    tallyChart(t('season.declared'), (tally) => [tally.declared, tally.won_declaring],
      (tally) => t('season.of', { won: tally.won_declaring, all: tally.declared })),
    tallyChart(t('season.bets'), (tally) => [tally.bets_laid, tally.bets_laid],
      (tally) => t('season.laid', { count: tally.bets_laid, amount: money?.plain(tally.laid[currency] ?? 0)
        ?? '' })),
    tallyChart(t('season.la_vola'), (tally) => [tally.la_volas + tally.la_volas_lost, tally.la_volas],
      (tally) => (tally.la_volas + tally.la_volas_lost > 0
      ? t('season.won_lost', { won: tally.la_volas, lost: tally.la_volas_lost }) : '–')),
    tallyChart(t('season.games'), (tally) => [tally.games_won, tally.games_won],
      (tally) => String(tally.games_won)),
    seasonByMember(played, currency, money),
  ];
}
