// Who has confirmed a document that holds, and which other books witness it: codes of sentences, each with
// its operands. Cosignatures name players by their ids; only names that have been checked stand for them:
// those of an export, which its book has signed.

// `exported` is the document itself, if it is an export, or the export that was checked with it;
// `playerWords` makes words of an id and a name, which is null if it is not known.
export function cosignerSentences(doc, exported, playerWords) {
  const names = new Map((exported.names ?? []).map(({ id, name }) => [id, name]));
  const confirmation = ({ version, cosignatures }) => ({ confirmed: version,
    witnesses: distinct(cosignatures.map(({ player }) => player))
      .map((player) => playerWords(player, names.get(player) ?? null)) });
  if (doc.kind === 'group') return sessionSentences(doc.sessions, exported, confirmation);
  const { witnessed = null, witnesses } = doc;
  return [
    ...(witnessed ? [['witnessed', confirmation(witnessed)]] : []),
    ...distinct((witnesses ?? []).map(({ version }) => version)).map((number) => ['witnesses',
      { seen: number, books: bookNames(witnesses.filter(({ version }) => version === number)) }]),
  ];
}

// Of a group's statement: names of the export's session alone.
function sessionSentences(summaries, exported, confirmation) {
  const confirmed = summaries.filter(({ witnessed }) => witnessed !== null);
  const witnessed = summaries.filter(({ witnesses }) => witnesses?.length > 0);
  const counts = ({ length }) => ({ count: length, sessions: summaries.length });
  return [
    ...(confirmed.length > 0 ? [['confirmed_sessions', counts(confirmed)]] : []),
    ...confirmed.filter(({ session }) => session === exported.session)
      .map((summary) => ['confirmed_evening', confirmation(summary.witnessed)]),
    ...(witnessed.length > 0 ? [['witnessed_sessions', { ...counts(witnessed),
      books: bookNames(witnessed.flatMap(({ witnesses }) => witnesses)) }]] : []),
  ];
}

const distinct = (values) => [...new Set(values)];

const bookNames = (witnesses) => distinct(witnesses.map(({ name }) => name));
