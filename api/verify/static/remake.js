// A statement, made anew from the events of an export: whether it comes to the same figures.

import { utf8 } from './bytes.js';
import { Unreadable, parse } from './json.js';
import { committed } from './labels.js';
import { ofPoints } from './moves.js';
import { Refused } from './note.js';
import { standing } from './standing.js';

const NEVER = '~'; // comes behind every time that is written

// Refuse unless this export comes to the statement's figures; `checkExport` refuses one that does not hold.
export function remake(doc, exported, given, checkExport) {
  const { version } = doc;
  if (exported.session !== doc.session) throw new Refused('export_other');
  if (doc.key !== null && exported.key !== null && exported.key !== doc.key) throw new Refused('other_key');
  try {
    checkExport(exported, given);
  } catch (error) {
    if (error instanceof Refused && error.code !== 'other_key') throw new Refused('export_wrong');
    throw error;
  }
  const events = exported.events.slice(0, version);
  if (events.length < version) throw new Refused('export_short', version);
  if (events.at(-1).hash !== doc.hash) throw new Refused('export_differs', version);
  const [opened, moved, players] = told(events);
  if (doc.game !== opened.get('game') || doc.currency !== opened.get('currency')) throw new Refused('remade_wrong', 1);
  if (doc.player !== null && !players.includes(doc.player)) throw new Refused('remade_wrong', version);
  compareLines(doc, moved);
  compareEnds(doc, moved, players);
}

function told(events) {
  try {
    return [parse(utf8(events[0].data)), standing(events), committed(events).map(([player]) => player)];
  } catch (error) {
    if (error instanceof Refused && error.code === 'event_unknown') throw error;
    if (error instanceof Refused || error instanceof TypeError || error instanceof Unreadable) throw new Refused('export_wrong');
    throw error;
  }
}

// Whose lines they are, from the opening to the closing, and none between left out.
function compareLines(doc, moved) {
  const wrong = (version = doc.version) => new Refused('remade_wrong', version);
  const points = doc.unit === 'points';
  const unit = moved.filter((line) => ofPoints(line.from) === points);
  const mine = accountOf(doc.player, unit, points);
  const all = unit.filter((line) => mine === null || mine === line.from || mine === line.to);
  const [first, end] = bounds(doc);
  let balance = all.filter((line) => line.at < first).reduce((sum, line) => sum + changed(line, mine), 0n);
  if (BigInt(doc.opening) !== balance) throw wrong();
  const found = all.filter((line) => first <= line.at && line.at < end);
  doc.lines.slice(0, found.length).forEach((given, i) => {
    const made = found[i];
    balance += changed(made, mine);
    const own = mine === null ? [null, null] : [changed(made, mine), balance];
    const same = ['version', 'at', 'deal', 'kind', 'from', 'to'].every((name) => given[name] === made[name])
      && ['amount', 'change', 'balance'].every((name, place) => equal(given[name], [made.amount, ...own][place]));
    if (!same) throw wrong(made.version);
  });
  const [from, to] = [found[0]?.at ?? null, found.at(-1)?.at ?? null];
  const ends = doc.period !== null && doc.period.from === from && doc.period.to === to;
  if (doc.lines.length !== found.length || BigInt(doc.closing) !== balance || !ends) throw wrong();
}

const equal = (given, made) => (given === null || made === null ? given === made : BigInt(given) === made);

// When the period begins, and when it is over. A statement from version 0.1 says only which days
// were asked for: of it we know the period as far as its lines reach.
function bounds({ filters, lines }) {
  const [begins, ends] = [filters?.begins ?? null, filters?.ends ?? null];
  if (begins === null && ends === null && (filters?.from || filters?.to)) {
    const reach = lines.length ? [lines[0], lines.at(-1)].map((line) => line.at ?? '') : [NEVER, ''];
    return [reach[0], reach[1] + NEVER];
  }
  return [begins ?? '', ends ?? NEVER];
}

// Balances, pot, paid bets and scores: what every account has come to at this version.
function compareEnds(doc, moved, players) {
  const held = new Map();
  const add = (account, amount) => held.set(account, (held.get(account) ?? 0n) + amount);
  for (const { from, to, amount } of moved) {
    add(from, -amount);
    add(to, amount);
  }
  const wanted = new Map();
  for (const [player, amount] of doc.balances ?? []) wanted.set(`player:${player}`, BigInt(amount));
  for (const [keeper, amount] of doc.scores ?? []) wanted.set(`score:${keeper}`, BigInt(amount));
  if (doc.pot !== null) wanted.set('pot', BigInt(doc.pot));
  for (const bet of (doc.bets ?? []).filter(({ paid }) => paid !== false)) {
    wanted.set(`bet:${(bet.id ?? '').slice(1)}`, BigInt(bet.amount));
  }
  const kinds = [
    ...(doc.balances === null ? [] : ['player']),
    ...(doc.scores === null ? [] : ['score']),
    ...(doc.pot === null && doc.bets === null ? [] : ['pot', 'bet']),
  ];
  const made = [...held].filter(([account, n]) => n && kinds.includes(account.split(':')[0]));
  const given = [...wanted].filter(([, n]) => n);
  const everybody = doc.balances === null
    || (doc.balances.size === new Set(players).size && players.every((player) => doc.balances.has(player)));
  const same = made.length === given.length && made.every(([account, n]) => wanted.get(account) === n);
  if (!everybody || !same) throw new Refused('remade_wrong', doc.version);
}

// The account that the statement is of; partners share a score.
function accountOf(player, moved, points) {
  if (player === null) return null;
  if (!points) return `player:${player}`;
  const accounts = moved.flatMap(({ from, to }) => [from, to]);
  return accounts.find((one) => one !== 'sheet' && one.slice('score:'.length).split('+').includes(player)) ?? 'score:';
}

// By how much an account at one of its ends; nothing in the statement of everybody.
function changed({ to, amount }, mine) {
  if (mine === null) return 0n;
  return to === mine ? amount : -amount;
}
