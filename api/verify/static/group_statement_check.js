// Checks a group's statement with the export of one of its sessions: the statement's lines of that session
// must be those of the events. The statement does not say which player a member was, so one player must fit.

import { isPointPosting } from './postings.js';
import { InvalidNote } from './signed_note.js';
import { balanceChange, equalAmounts, periodBounds, readCheckedExport } from './statement_check.js';

export function checkGroupStatement(doc, exported, givenKey, checkExport) {
  const summary = doc.sessions.findLast(({ session }) => session === exported.session);
  if (!summary) throw new InvalidNote('export_other');
  const [opening, journal, players] = readCheckedExport(summary, exported, givenKey, checkExport);
  if (doc.currency !== opening.get('currency')) throw new InvalidNote('remade_wrong', 1);
  const [start, end] = periodBounds(doc);
  const movements = journal.filter((line) => start <= line.at && line.at < end && !isPointPosting(line.from)
    && line.from !== 'brought' && line.to !== 'brought');
  const lines = doc.lines.filter(({ session }) => session === exported.session);
  const { member } = doc;
  const tookPart = summary.results?.has(member);
  const accounts = member === null ? [null]
    : [...players.map((player) => `player:${player}`), ...(tookPart ? [] : ['player:'])]; // an empty account
  const members = new Set([...(summary.results?.size ? summary.results : doc.balances).keys()]
    .map((id) => `member:${id}`));
  if (!accounts.some((account) => areLinesOf(lines, movements, account, `member:${member}`, members)))
    throw new InvalidNote('remade_wrong', summary.version);
}

// Whether these lines are the movements of one account, or of all accounts (null). In the statement each
// player has the name of one member, or of a guest.
function areLinesOf(lines, movements, account, holder, members) {
  const ownMovements = movements.filter((move) => account === null || [move.from, move.to].includes(account));
  const names = new Map(account === null ? [] : [[account, holder]]);
  const fits = lines.length === ownMovements.length && lines.every((line, i) => {
    const movement = ownMovements[i];
    for (const end of ['from', 'to'])
      if (!names.has(movement[end])) names.set(movement[end], line[end]);
    const change = account === null ? null : balanceChange(movement, account);
    return ['version', 'at', 'deal', 'kind'].every((name) => line[name] === movement[name])
      && ['from', 'to'].every((end) => line[end] === names.get(movement[end]))
      && equalAmounts(line.amount, movement.amount) && equalAmounts(line.change, change);
  });
  return fits && [...names].every(([side, name]) => side === account || mayBeCalled(side, name, members))
    && new Set(names.values()).size === names.size;
}

function mayBeCalled(account, name, members) {
  if (!account.startsWith('player:')) return name === account;
  const guest = /^guest:[0-9]+[.](.+)$/s.exec(name ?? '');
  return guest ? guest[1] === account.slice('player:'.length) : members.has(name);
}
