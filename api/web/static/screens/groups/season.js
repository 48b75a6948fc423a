// A season of a group in charts: each member's total, how often declarers win, and the numbers. And who beats
// whom: every two members, first as a table and then, for one member, as a picture; partners, streaks,
// declarers, and everybody who has won a la vola.

import { formatDay, formatNumber, formatPercent, gameName, listNames, moneyWriter,
  t } from '../../core/translator.js';
import { currencyDigits, signClass } from '../../domain/amounts.js';
import { groupPath, openSessionOnTap } from '../../features/groups/group_client.js';
import { chosenCurrency, currencyChoice, emptyPeriod, showPeriodScreen,
  usedCurrencies } from '../../features/groups/period.js';
import { pictureButton, rankedRows } from '../../features/share_picture.js';
import { barChart, figuresTable, lineChart } from '../../ui/chart.js';
import { h } from '../../ui/elements.js';
import { choiceField } from '../../ui/fields.js';
import { actionLink } from '../../ui/page.js';
import { memberLabel, memberName } from '../../ui/player_tokens.js';

export function seasonScreen({ id, group, home, isCurrent }) {
  const choice = { span: 'all', from: '', to: '', currency: null, chosenMember: null };
  return showPeriodScreen({ path: groupPath(id, '/standings'), choice, isCurrent,
    screenOf: (standings, draw) => ({
      title: t('season.title'), backHref: home, main: seasonCharts(standings, group.name, choice, draw),
      bar: [actionLink('head-to-head', t('head_to_head.title'), `${home}/head-to-head`),
        actionLink('statement', t('menu.statement'), `${home}/statement`, { primary: true })],
    }) });
}

/** Everything counted in this period, one currency at a time. */
function seasonCharts({ members, sessions }, name, choice, draw) {
  const played = members.filter(({ deals }) => deals > 0);
  if (played.length === 0) return emptyPeriod(choice, t('season.empty'));
  const currencies = usedCurrencies(sessions);
  choice.currency = chosenCurrency(currencies, choice.currency);
  const { currency, chosenMember } = choice;
  const countedSessions = sessions
    .filter((groupSession) => groupSession.results !== null && groupSession.currency === currency);
  const money = currency === null ? null : moneyWriter(currency,
    countedSessions.flatMap(({ results, totals }) =>
      [...Object.values(results), ...Object.values(totals)]));
  const tallyChart = (title, lengthsOf, describe) =>
    barChart({ title, members, tallies: played, chosenMember, lengthsOf, describe });
  return [
    currencyChoice(currencies, currency, (code) => { choice.currency = code; draw(); }),
    money && h('section', {}, h('h2', {}, t('season.lines')),
      lineChart({
        steps: countedSessions, members, write: money, unit: 10 ** currencyDigits(currency), chosenMember,
        pick: (member) => { choice.chosenMember = member; draw(); }, title: t('season.lines'),
        endLabels: [formatDay(countedSessions[0].created_at),
          countedSessions.length > 1 && formatDay(countedSessions.at(-1).created_at)],
      })),
    money && resultsBySession(countedSessions, members, money),
    tallyChart(t('season.declared'), (tally) => [tally.declared, tally.won_declaring],
      (tally) => t('season.of', { won: tally.won_declaring, all: tally.declared })),
    tallyChart(t('season.bets'), (tally) => [tally.bets_laid, tally.bets_laid],
      // The bets are counted in all currencies together.
      (tally) => (currencies.length === 1 ? t('season.laid', { count: tally.bets_laid,
        amount: money.plain(tally.laid[currency] ?? 0) }) : String(tally.bets_laid))),
    tallyChart(t('season.la_vola'), (tally) => [tally.la_volas + tally.la_volas_lost, tally.la_volas],
      (tally) => (tally.la_volas + tally.la_volas_lost > 0
      ? t('season.won_lost', { won: tally.la_volas, lost: tally.la_volas_lost }) : '–')),
    tallyChart(t('season.games'), (tally) => [tally.games_won, tally.games_won],
      (tally) => String(tally.games_won)),
    seasonByMember(played, currency, money),
    money && pictureButton(() => seasonPicture(name, members, countedSessions, currency, money)),
  ];
}

/** Sessions down, members across: the result of each session, and the totals. */
function resultsBySession(sessions, members, money) {
  const shownMembers = members.filter(({ id }) => sessions.some(({ results }) => id in results));
  const sum = (amount) => h('td', { class: signClass(amount ?? 0) },
    amount === undefined ? '–' : money.bare(amount) || '0');
  return figuresTable(t('season.by_evening'), 'by-evening',
    [t('season.evening'), ...shownMembers.map(({ name }) => name)],
    sessions.map(({ created_at: begunAt, game, results }) =>
      [h('span', {}, formatDay(begunAt), h('small', { class: 'muted' }, gameName(game))),
      shownMembers.map(({ id }) => sum(results[id]))]),
    [[t('season.together'), shownMembers.map(({ id }) => sum(sessions.at(-1).totals[id]))]]);
}

/** Members down: sessions and deals played, the total, and what is open. */
function seasonByMember(members, currency, money) {
  const sum = (amounts) => h('td', { class: signClass(amounts[currency] ?? 0) },
    money.bare(amounts[currency] ?? 0) || '0');
  return figuresTable(t('season.figures'), 'by-member',
    [t('season.member'), t('group.evenings'), t('season.deals'),
      ...(money ? [t('season.result'), t('season.open')] : [])],
    members.map((tally) =>
      [tally.name, [h('td', {}, tally.sessions), h('td', {}, tally.deals),
      ...(money ? [sum(tally.result), sum(tally.open)] : [])]]));
}

/** The content of the shared picture: the results as in the group's statement. */
function seasonPicture(name, members, sessions, currency, money) {
  const [first, last] = [sessions[0], sessions.at(-1)].map((session) => formatDay(session.created_at));
  return {
    title: name, lines: [t('season.title'), first === last ? first : `${first} – ${last}`],
    rows: rankedRows(members, (id) => {
      const { deals, result } = members.find((member) => member.id === id);
      return deals > 0 ? result[currency] ?? 0 : null;
    }, money.signed),
    fileName: `vola-${sessions.at(-1).created_at.slice(0, 10)}`,
  };
}

export function headToHeadScreen({ id, group, home, isCurrent }) {
  const choice = { span: 'all', from: '', to: '', member: null };
  return showPeriodScreen({ path: groupPath(id, '/head-to-head'), choice, isCurrent,
    screenOf: (figures, draw) => ({
      title: t('head_to_head.title'), backHref: `${home}/season`,
      main: sections(figures, group, choice, draw),
      bar: [actionLink('season', t('season.title'), `${home}/season`, { primary: true })],
    }) });
}

function sections(figures, group, choice, draw) {
  const { members, pairs, partners, streaks, declarers, la_volas: laVolas } = figures;
  const met = members.filter(({ id }) => pairs.some((pair) => pair.members.includes(id)));
  if (met.length === 0) return emptyPeriod(choice, t('head_to_head.empty'));
  if (!met.some(({ id }) => id === choice.member)) choice.member = met[0].id;
  return [
    pairTable(t('head_to_head.ahead'), 'sessions_ahead', pairs, met),
    opponentChart(pairs, members, met, choice, draw),
    pairs.some((pair) => Object.values(pair.deals_beaten).some((count) => count > 0))
      && pairTable(t('head_to_head.beaten'), 'deals_beaten', pairs, met),
    partners.length > 0 && countTable(t('head_to_head.partners'), 'partners', t('head_to_head.pair'),
      partners.map((pair) => [listNames(pair.members.map((id) => memberName(members, id))),
        pair.games_won, pair.games])),
    declarers.length > 0 && countTable(t('head_to_head.declarers'), 'declarers', t('season.member'),
      declarers.map(({ member, won, declared }) => [memberName(members, member), won, declared])),
    streakTable(streaks, members),
    laVolas.length > 0 && h('section', {}, h('h2', {}, t('head_to_head.la_volas')),
      h('ol', { class: 'rows' }, laVolas.toReversed().map((won) => laVolaRow(won, members, group)))),
  ];
}

const pairOf = (pairs, first, second) =>
  pairs.find(({ members }) => members.includes(first) && members.includes(second));

/** Every two members: "2–1" in the row of the member with two. */
function pairTable(title, figure, pairs, members) {
  const cell = (row, column) => {
    const counts = row === column ? null : pairOf(pairs, row, column)?.[figure];
    if (!counts) return h('td', { class: 'muted' }, row === column ? null : '–');
    return h('td', { class: signClass(counts[row] - counts[column]) },
      `${formatNumber(counts[row])}–${formatNumber(counts[column])}`);
  };
  return figuresTable(title, figure, [t('season.member'), ...members.map(({ name }) => name)],
    members.map(({ id, name }) => [name, members.map((column) => cell(id, column.id))]));
}

/** How often one member has ended ahead of each of the others. */
function opponentChart(pairs, members, met, choice, draw) {
  const tallies = met.filter(({ id }) => id !== choice.member && pairOf(pairs, id, choice.member))
    .map((member) => ({ ...member, pair: pairOf(pairs, member.id, choice.member) }));
  const timesAhead = ({ pair }) => pair.sessions_ahead[choice.member];
  return [
    choiceField({ name: 'member', words: t('head_to_head.whose'), value: choice.member,
      values: met.map(({ id, name }) => [id, name]),
      pick: (id) => { choice.member = id; draw(); } }),
    barChart({ title: t('head_to_head.against', { name: memberName(members, choice.member) }),
      members, tallies, chosenMember: null, lengthsOf: (tally) => [tally.pair.sessions, timesAhead(tally)],
      describe: (tally) => t('head_to_head.of_evenings',
        { won: timesAhead(tally), count: tally.pair.sessions }) }),
  ];
}

/** Won and played, with the share. */
const countTable = (title, key, head, rows) => figuresTable(title, key,
  [head, t('head_to_head.won'), t('head_to_head.share')],
  rows.map(([name, won, all]) => [name, [h('td', {}, t('season.of', { won, all })),
    h('td', {}, formatPercent(won / all))]]));

const streakTable = (streaks, members) => figuresTable(t('head_to_head.streaks'), 'streaks',
  [t('season.member'), t('head_to_head.winning'), t('head_to_head.losing'), t('head_to_head.current')],
  streaks.map((streak) => [memberName(members, streak.member), [
    h('td', {}, streak.longest_winning), h('td', {}, streak.longest_losing),
    h('td', { class: signClass(streak.current) }, currentStreak(streak.current))]]));

const currentStreak = (count) => (count === 0 ? '–'
  : t(count > 0 ? 'head_to_head.won_now' : 'head_to_head.lost_now', { count: Math.abs(count) }));

/** Leads to the evening in which it was won. */
function laVolaRow({ member, number, deal, game, at }, members, group) {
  const evening = group.sessions.find((session) => session.number === number);
  return h('li', { class: 'row' }, h('a', { class: 'row-link session-row', href: `#/s/${evening.session}`,
    'data-key': `la-vola-${number}-${deal}`, onclick: openSessionOnTap(evening) },
  memberLabel(members, member),
  h('span', { class: 'muted row-note' }, [formatDay(at), gameName(game), t('result.title', { number: deal })]
    .join(' · '))));
}
