// The session in charts: everybody's total deal by deal, who won what, and the numbers below. Drawn from the
// deals as they are now, so a corrected deal counts as it was really played.

import { getAllItems } from '../core/api_client.js';
import { currentSession, keepLatest } from '../core/session_store.js';
import { currencyName, formatDay, gameName, moneyWriter, sessionMoneyWriter,
  t } from '../core/translator.js';
import { currencyDigits, formatPoints, formatSignedPoints, isPointGame, sessionResults, sideMembers,
  signClass, sumOf } from '../domain/amounts.js';
import { fetchCarriedForward } from '../features/groups/carry_forward.js';
import { pictureButton, rankedRows } from '../features/share_picture.js';
import { syncStatus } from '../features/sync_status.js';
import { barChart, figuresTable, lineChart } from '../ui/chart.js';
import { h } from '../ui/elements.js';
import { showScreen } from '../ui/page.js';
import { sideNames } from '../ui/player_tokens.js';
import { changeLines } from '../ui/table_view.js';

export async function picturesScreen({ id, game, home, isCurrent }) {
  const loadDeals = keepLatest(async () =>
    (await getAllItems(id, 'deals')).filter(({ status }) => status === 'closed'));
  const carriedFrom = currentSession().carried_from ?? null;
  let [deals, carriedForward] = await Promise.all([loadDeals(), carriedFrom && fetchCarriedForward(id)]);
  if (!isCurrent()) return null;
  let chosenMember = null;

  const draw = (fresh = false) => showScreen({
    title: t('menu.pictures'), backHref: home, headerEnd: syncStatus(), fresh,
    main: deals.length === 0 ? [h('p', { class: 'empty' }, t('pictures.empty'))]
      : drawPictures(currentSession(), game, deals, carriedForward, chosenMember,
        (picked) => { chosenMember = picked; draw(); }),
  });
  draw(true);
  return {
    update: async () => {
      deals = await loadDeals().catch(() => deals);
      if (isCurrent()) draw();
    },
  };
}

function drawPictures(state, game, deals, carriedForward, chosenMember, pick) {
  const series = isPointGame(state) ? pointsSeries(state, game) : moneySeries(state, deals, carriedForward);
  const steps = runningTotals(series, deals);
  const { contestants, write } = series;
  const tallies = state.players.map((player) => ({ ...player, ...winCounts(player.id, deals) }));
  const tallyChart = (title, lengthsOf, describe, members = tallies) =>
    barChart({ title, members, chosenMember, lengthsOf, describe });
  // Where a deal has only the tricks of each side, players' tricks would miss that deal.
  const countsSides = deals.some(({ outcome }) => contestants.some(({ id }) => id in (outcome.taken ?? {})));
  const trickTallies = (countsSides ? contestants : state.players)
    .map((taker) => ({ ...taker, tricks: tricksTaken(taker.id, deals) }));
  return [
    h('section', {}, h('h2', {}, t('season.lines')), lineChart({
      steps, members: contestants, firstTotal: series.firstTotal, write: series.total, unit: series.unit,
      chosenMember, pick, title: t('season.lines'),
      endLabels: [t('table.last', { number: deals[0].number }),
        deals.length > 1 && t('table.last', { number: deals.at(-1).number })],
    })),
    tallyChart(t('pictures.won'), (tally) => [tally.won, tally.won], (tally) => String(tally.won)),
    tallyChart(t('season.declared'), (tally) => [tally.declared, tally.declaredWon],
      (tally) => t('season.of', { won: tally.declaredWon, all: tally.declared })),
    game.terms && tallyChart(t(`vola.button.${game.terms(state).call}`),
      (tally) => [tally.volas, tally.volasWon],
      (tally) => (tally.volas > 0
        ? t('season.won_lost', { won: tally.volasWon, lost: tally.volas - tally.volasWon }) : '–')),
    tallyChart(t('season.bets'), (tally) => [tally.bets, tally.bets],
      (tally) => t('season.laid', { count: tally.bets, amount: series.plain?.(tally.laid) ?? '' })),
    tallyChart(t('pictures.tricks'), (tally) => [tally.tricks, tally.tricks],
      (tally) => String(tally.tricks), trickTallies),
    figuresTable([t('pictures.by_deal'), series.currency].filter(Boolean).join(' · '), 'by-deal',
      [t('pictures.deal'), ...contestants.map(({ name }) => name)],
      deals.map(({ number }, place) =>
        [number, contestants.map(({ id }) => tableCell(steps[place].changes[id], write, series.sign))]),
      totalRows(state, series, steps.at(-1).totals)),
    pictureButton(() => eveningPicture(currentSession(), game, contestants, deals)),
  ];
}

/** The totals of the deals; and results in money, where they differ: shared leftovers are of no deal. */
function totalRows(state, { contestants, total }, totals) {
  const row = (title, sums) =>
    [title, contestants.map(({ id }) => tableCell(sums[id], total.bare, total.sign))];
  const { results } = state;
  const differs = !isPointGame(state) && contestants.some(({ id }) => results[id] !== totals[id]);
  return [row(t('season.together'), totals), ...(differs ? [row(t('figures.result'), results)] : [])];
}

/** The content of the shared picture: the results as in the statement, or the points. */
function eveningPicture(state, game, contestants, deals) {
  const points = isPointGame(state);
  const { start, goal } = points ? game.course(state) : {};
  const result = (id) => (points ? state.scores[id] : sessionResults(state)[id]);
  const openedAt = deals[0].opened_at;
  return {
    title: state.title || t('start.untitled'),
    lines: [formatDay(openedAt), gameName(state.game),
      t('group.deals', { count: deals.length })],
    rows: rankedRows(contestants, result, points ? formatPoints : sessionMoneyWriter(state).signed,
      { points, lowestFirst: goal < start }),
    fileName: `vola-${openedAt.slice(0, 10)}`,
  };
}

const tableCell = (sum, write, sign) => h('td', { class: sign(sum) }, write(sum));

/** What a chart of money needs: the players, their accounts and first balances, and how sums are written. */
function moneySeries({ players, currency, results }, deals, carriedForward) {
  const firstTotals = carriedForward?.data.balances ?? {};
  const money = moneyWriter(currency, [...Object.values(firstTotals), ...Object.values(results ?? {}),
    ...deals.flatMap(({ postings }) => [...changeLines(postings).values()])]);
  const bare = (sum) => money.bare(sum) || '0';
  return {
    contestants: players, account: (id) => `player:${id}`,
    firstTotal: (id) => firstTotals[id] ?? 0,
    unit: 10 ** currencyDigits(currency), currency: currencyName(currency),
    write: bare, sign: signClass, total: { signed: money.signed, bare, sign: signClass }, plain: money.plain,
  };
}

function pointsSeries(state, game) {
  const { start, goal } = game.course(state);
  return {
    contestants: Object.keys(state.scores).map((id) => ({ id, name: sideNames(id) })),
    account: (id) => `score:${id}`, firstTotal: () => start, unit: 1,
    write: formatSignedPoints, sign: (change) => signClass(goal > start ? change : -change),
    total: { signed: formatPoints, bare: formatPoints, sign: () => '' },
  };
}

/** Each deal's changes and the totals after it. */
function runningTotals({ contestants, account, firstTotal }, deals) {
  let totals = Object.fromEntries(contestants.map(({ id }) => [id, firstTotal(id)]));
  return deals.map(({ postings }) => {
    const lines = changeLines(postings);
    const changes = Object.fromEntries(contestants.map(({ id }) => [id, lines.get(account(id)) ?? 0]));
    totals = Object.fromEntries(contestants.map(({ id }) => [id, totals[id] + changes[id]]));
    return { changes, totals };
  });
}

/** How often each player won, declared, announced la vola and laid a bet. */
function winCounts(id, deals) {
  const outcomes = deals.map(({ outcome }) => outcome);
  const countWhere = (isCounted) => outcomes.filter(isCounted).length;
  const betPostings =
    deals.flatMap(({ postings }) => postings.filter(({ from: source, to: target }) =>
    source === `player:${id}` && target.startsWith('bet:')));
  const declares = ({ declarers }) => declarers.includes(id);
  const announces = ({ la_vola: announcer }) => announcer === id;
  return {
    won: countWhere(({ winner }) => winner === id),
    declared: countWhere(declares),
    declaredWon: countWhere((outcome) => declares(outcome) && outcome.winner === id),
    volas: countWhere(announces),
    volasWon: countWhere((outcome) => announces(outcome) && outcome.type === 'la_vola_won'),
    bets: betPostings.length, laid: sumOf(betPostings.map(({ amount }) => amount)),
  };
}

/** How many tricks a player took, or both partners of a side. */
function tricksTaken(id, deals) {
  const members = sideMembers(id);
  return sumOf(deals.map(({ outcome: { taken: counts, tricks } }) =>
    (counts ? counts[id] ?? sumOf(members.map((member) => counts[member] ?? 0))
      : tricks.filter((winner) => members.includes(winner)).length)));
}
