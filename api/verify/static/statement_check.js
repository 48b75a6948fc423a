// Computes a statement anew from the events of an export, and compares the figures.

import { utf8 } from './bytes.js';
import { readJournal } from './journal.js';
import { isKeyEndorsed } from './key_chain.js';
import { isPointPosting } from './postings.js';
import { nameCommitments } from './session_labels.js';
import { InvalidNote } from './signed_note.js';
import { Unreadable, parseJson } from './strict_json.js';

const AFTER_ANY_TIME = '~'; // sorts after every written time

// Throws InvalidNote unless the statement's figures follow from this export. `checkExport` checks the export
// itself.
export function checkStatement(doc, exported, givenKey, checkExport) {
  const { version } = doc;
  if (exported.session !== doc.session) throw new InvalidNote('export_other');
  const [opening, journal, players] = readCheckedExport(doc, exported, givenKey, checkExport);
  if (doc.game !== opening.get('game') || doc.currency !== opening.get('currency'))
    throw new InvalidNote('remade_wrong', 1);
  if (doc.player !== null && !players.includes(doc.player)) throw new InvalidNote('remade_wrong', version);
  compareLines(doc, journal);
  compareEnds(doc, journal, players);
}

// The opening event, the journal lines and the players at the version that the claim names.
export function readCheckedExport(claim, exported, givenKey, checkExport) {
  const { version } = claim;
  if (!isKeyEndorsed(claim.key, exported) && !isKeyEndorsed(exported.key, claim))
    throw new InvalidNote('other_key');
  try {
    checkExport(exported, givenKey);
  } catch (error) {
    if (error instanceof InvalidNote && error.code !== 'other_key') throw new InvalidNote('export_wrong');
    throw error;
  }
  const events = exported.events.slice(0, version);
  if (events.length < version) throw new InvalidNote('export_short', version);
  if (events.at(-1).hash !== claim.hash) throw new InvalidNote('export_differs', version);
  return readHistory(events);
}

function readHistory(events) {
  try {
    const [opening, journal] = [parseJson(utf8(events[0].data)), readJournal(events)];
    const players = nameCommitments(events).map(([player]) => player);
    const playerAccounts = new Set(players.map((player) => `player:${player}`));
    const accounts = journal.flatMap(({ from: source, to: target }) => [source, target]);
    if (accounts.some((account) => account.startsWith('player:') && !playerAccounts.has(account)))
      throw new TypeError('player');
    return [opening, journal, players];
  } catch (error) {
    if (error instanceof InvalidNote && error.code === 'event_unknown') throw error;
    if (error instanceof InvalidNote || error instanceof TypeError || error instanceof Unreadable)
      throw new InvalidNote('export_wrong');
    throw error;
  }
}

// Compares every line of the period, with none left out, and the opening and closing balances.
function compareLines(doc, journal) {
  const wrong = (version = doc.version) => new InvalidNote('remade_wrong', version);
  const points = doc.unit === 'points';
  const unitLines = journal.filter((line) => isPointPosting(line.from) === points);
  const account = accountOf(doc.player, unitLines, points);
  const ownLines = unitLines.filter((line) => account === null || [line.from, line.to].includes(account));
  const [start, end] = periodBounds(doc);
  let balance = ownLines.filter((line) => line.at < start).reduce((sum, line) =>
    sum + balanceChange(line, account), 0n);
  if (BigInt(doc.opening) !== balance) throw wrong();
  const lines = ownLines.filter((line) => start <= line.at && line.at < end);
  doc.lines.slice(0, lines.length).forEach((givenLine, i) => {
    const line = lines[i];
    balance += balanceChange(line, account);
    const own = account === null ? [null, null] : [balanceChange(line, account), balance];
    const isSame = ['version', 'at', 'deal', 'kind', 'from', 'to']
      .every((name) => givenLine[name] === line[name])
      && ['amount', 'change', 'balance'].every((name, place) =>
        equalAmounts(givenLine[name], [line.amount, ...own][place]));
    if (!isSame) throw wrong(line.version);
  });
  const [firstTime, lastTime] = [lines[0]?.at ?? null, lines.at(-1)?.at ?? null];
  const ends = doc.period !== null && doc.period.from === firstTime && doc.period.to === lastTime;
  if (doc.lines.length !== lines.length || BigInt(doc.closing) !== balance || !ends) throw wrong();
}

// Whether a claimed amount, a number, is the computed one, a BigInt; either may be null.
export const equalAmounts = (claimed, computed) => (claimed === null || computed === null
  ? claimed === computed : BigInt(claimed) === computed);

// The beginning and the end of the period. A statement from version 0.1 has only the days that were asked
// for, so the times of its first and last lines are used.
export function periodBounds({ filters, lines }) {
  const [begins, ends] = [filters?.begins ?? null, filters?.ends ?? null];
  if (begins === null && ends === null && (filters?.from || filters?.to)) {
    const reach = lines.length ? [lines[0], lines.at(-1)].map((line) => line.at ?? '') : [AFTER_ANY_TIME, ''];
    return [reach[0], reach[1] + AFTER_ANY_TIME];
  }
  return [begins ?? '', ends ?? AFTER_ANY_TIME];
}

// Compares balances, pot, paid bets and scores at this version.
function compareEnds(doc, journal, players) {
  const balances = new Map();
  const add = (account, amount) => balances.set(account, (balances.get(account) ?? 0n) + amount);
  for (const { from: source, to: target, amount } of journal) {
    add(source, -amount);
    add(target, amount);
  }
  const claimed = new Map();
  for (const [player, amount] of doc.balances ?? []) claimed.set(`player:${player}`, BigInt(amount));
  for (const [contestant, amount] of doc.scores ?? []) claimed.set(`score:${contestant}`, BigInt(amount));
  if (doc.pot !== null) claimed.set('pot', BigInt(doc.pot));
  const paidBets = (doc.bets ?? []).filter(({ paid }) => paid !== false);
  for (const { id, amount } of paidBets) claimed.set(`bet ${id}`.replace(/^bet b/, 'bet:'), BigInt(amount));
  const isEachOnce = new Set(paidBets.map(({ id }) => id)).size === paidBets.length;
  const kinds = [
    ...(doc.balances === null ? [] : ['player']),
    ...(doc.scores === null ? [] : ['score']),
    ...(doc.pot === null && doc.bets === null ? [] : ['pot', 'bet']),
  ];
  const computed = [...balances].filter(([account, n]) => n && kinds.includes(account.split(':')[0]));
  const claimedBalances = [...claimed].filter(([, n]) => n);
  const isForEverybody = doc.balances === null
    || (doc.balances.size === new Set(players).size && players.every((player) => doc.balances.has(player)));
  const isSame = computed.length === claimedBalances.length
    && computed.every(([account, n]) => claimed.get(account) === n);
  if (!isEachOnce || !isForEverybody || !isSame) throw new InvalidNote('remade_wrong', doc.version);
}

// The account that the statement is of; partners share a score.
function accountOf(player, journal, points) {
  if (player === null) return null;
  if (!points) return `player:${player}`;
  const accounts = journal.flatMap(({ from: source, to: target }) => [source, target]);
  return accounts.find((account) => account !== 'sheet'
    && account.slice('score:'.length).split('+').includes(player)) ?? 'score:';
}

// The change that a line makes to an account; zero in a statement of everybody (null).
export function balanceChange({ to: target, amount }, account) {
  if (account === null) return 0n;
  return target === account ? amount : -amount;
}
