// The session in charts: everybody's total deal by deal, who won what, and the numbers below. Drawn from the
// deals as they are now, so a corrected deal counts as it was really played.

import { getAllItems, sessionPath } from '../core/api_client.js';
import { currentSession } from '../core/session_store.js';
import { formatDay, gameName, loadAllSentences, moneyWriter, t } from '../core/translator.js';
import { currencyDigits, formatPoints, formatSignedPoints, isPointGame, sessionResults,
  signClass } from '../domain/amounts.js';
import { fetchCarriedForward } from '../features/groups/carry_forward.js';
import { pictureButton, rankedRows } from '../features/share_picture.js';
import { syncStatus } from '../features/sync_status.js';
import { barChart, figuresTable, lineChart } from '../ui/chart.js';
import { h } from '../ui/elements.js';
import { showScreen } from '../ui/page.js';
import { sideNames, tokenLetters } from '../ui/player_tokens.js';
import { changeLines } from '../ui/table_view.js';

export async function picturesScreen({ id, game, home, isCurrent }) {
  const ask = async () => (await getAllItems(sessionPath(id, '/deals'), 'deals'))
    .filter(({ status }) => status === 'closed');
  const began = currentSession().carried_from ?? null;
  let [deals, carried] = await Promise.all([ask(), began && fetchCarriedForward(id), loadAllSentences()]);
  if (!isCurrent()) return null;
  let { version } = currentSession();
  let chosenMember = null;

  const draw = (fresh = false) => showScreen({
    title: t('menu.pictures'), backHref: home, headerEnd: syncStatus(), fresh,
    main: deals.length === 0 ? [h('p', { class: 'empty' }, t('pictures.empty'))]
      : drawPictures(currentSession(), game, deals, carried, chosenMember,
        (picked) => { chosenMember = picked; draw(); }),
  });
  draw(true);
  return {
    update: async (state) => {
      if (state.version !== version) {
        ({ version } = state);
        deals = await ask().catch(() => deals);
      }
      if (isCurrent()) draw();
    },
  };
}

function drawPictures(state, game, deals, carried, chosenMember, pick) {
  const book = isPointGame(state) ? pointsSeries(state, game) : moneySeries(state, carried);
  const steps = runningTotals(book, deals);
  const { keepers, write } = book;
  const count = (title, of, describe) =>
    barChart({ title, members: state.players, chosenMember, of, describe });
  const tally = new Map(state.players.map(({ id }) => [id, winCounts(id, deals)]));
  const of = ({ id }) => tally.get(id);
  return [
    h('section', {}, h('h2', {}, t('season.lines')), lineChart({
      steps, members: keepers, began: book.began, write: book.total, unit: book.unit, chosenMember, pick,
      title: t('season.lines'),
      ends: [t('table.last', { number: deals[0].number }),
        deals.length > 1 && t('table.last', { number: deals.at(-1).number })],
    })),
    count(t('pictures.won'), (id) => [of(id).won, of(id).won], (id) => String(of(id).won)),
    count(t('season.declared'), (id) => [of(id).declared, of(id).declaredWon],
      (id) => t('season.of', { won: of(id).declaredWon, all: of(id).declared })),
    count(t('season.la_vola'), (id) => [of(id).volas, of(id).volasWon], (id) => (of(id).volas > 0
      ? t('season.won_lost', { won: of(id).volasWon, lost: of(id).volas - of(id).volasWon }) : '–')),
    count(t('season.bets'), (id) => [of(id).bets, of(id).bets],
      (id) => t('season.laid', { count: of(id).bets, amount: book.plain?.(of(id).laid) ?? '' })),
    count(t('pictures.tricks'), (id) => [of(id).tricks, of(id).tricks], (id) => String(of(id).tricks)),
    figuresTable(t('pictures.by_deal'), 'by-deal', [t('pictures.deal'), ...keepers.map(({ name }) => name)],
      deals.map(({ number }, place) =>
        [number, keepers.map(({ id }) => tableCell(steps[place].moved[id], write))]),
      [t('season.together'), keepers.map(({ id }) => tableCell(steps.at(-1).totals[id], book.total.bare))]),
    pictureButton(() => eveningPicture(currentSession(), keepers, deals)),
  ];
}

/** The content of the shared picture: the results as in the statement, or the points. */
function eveningPicture(state, keepers, deals) {
  const points = isPointGame(state);
  const result = (id) => (points ? state.scores[id] : sessionResults(state)[id]);
  const names = keepers.map(({ name }) => name);
  const began = deals[0].opened_at;
  return {
    title: state.title || t('start.untitled'),
    lines: [formatDay(began), gameName(state.game),
      t('group.deals', { count: deals.length })],
    rows: rankedRows(keepers, result, points ? formatPoints : moneyWriter(state.currency).signed,
      (name) => tokenLetters(name, names)),
    fileName: `vola-${began.slice(0, 10)}`,
  };
}

const tableCell = (sum, write) => h('td', { class: signClass(sum) }, write(sum));

/** What a chart of money needs: the players, their accounts and first balances, and how sums are written. */
function moneySeries({ players, currency }, carried) {
  const money = moneyWriter(currency);
  const bare = (sum) => money.bare(sum) || '0';
  return {
    keepers: players, account: (id) => `player:${id}`, began: (id) => carried?.data.balances[id] ?? 0,
    unit: 10 ** currencyDigits(currency),
    write: bare, total: { signed: money.signed, bare }, plain: money.plain,
  };
}

function pointsSeries(state, game) {
  const { start } = game.course(state);
  return {
    keepers: Object.keys(state.scores).map((id) => ({ id, name: sideNames(id) })),
    account: (id) => `score:${id}`, began: () => start, unit: 1,
    write: formatSignedPoints, total: { signed: formatPoints, bare: formatPoints },
  };
}

/** Each deal's changes and the totals after it. */
function runningTotals({ keepers, account, began }, deals) {
  let totals = Object.fromEntries(keepers.map(({ id }) => [id, began(id)]));
  return deals.map(({ postings }) => {
    const changes = changeLines(postings);
    const moved = Object.fromEntries(keepers.map(({ id }) => [id, changes.get(account(id)) ?? 0]));
    totals = Object.fromEntries(keepers.map(({ id }) => [id, totals[id] + moved[id]]));
    return { moved, totals };
  });
}

/** How often each player won, declared, announced la vola, laid a bet, and how many tricks he took. */
function winCounts(id, deals) {
  const ends = deals.map(({ outcome }) => outcome);
  const many = (is) => ends.filter(is).length;
  const laid =
    deals.flatMap(({ postings }) => postings.filter(({ from: source, to: target }) =>
    source === `player:${id}` && target.startsWith('bet:')));
  const declares = ({ declarers }) => declarers.includes(id);
  const announces = ({ la_vola: announcer }) => announcer === id;
  return {
    won: many(({ winner }) => winner === id),
    declared: many(declares), declaredWon: many((end) => declares(end) && end.winner === id),
    volas: many(announces), volasWon: many((end) => announces(end) && end.type === 'la_vola_won'),
    bets: laid.length, laid: laid.reduce((sum, { amount }) => sum + amount, 0),
    tricks: ends.reduce((sum, { taken: counts, tricks }) =>
      sum + (counts ? counts[id] ?? 0 : tricks.filter((winner) => winner === id).length), 0),
  };
}
