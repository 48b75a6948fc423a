"""What somebody may take home from an evening: exports, receipts, statements."""

from __future__ import annotations

import json
from copy import copy, deepcopy
from random import Random
from typing import Any
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger import chain, checkpoints, labels
from ledger.checkpoints import Checkpoint
from ledger.export import told
from ledger.labels import Labels
from ledger.merkle import Tree
from ledger.times import iso
from ledger.writing import Name

Doc = dict[str, Any]
KINDS = ("pot_taken", "bet_laid", "trick_recorded", "deal_opened", "payment_settled")


class Book:
    """An evening of `size` events and the pen it is signed with."""

    def __init__(self, random: Random, size: int, session: UUID | None = None) -> None:
        self.pen = Ed25519PrivateKey.from_private_bytes(random.randbytes(32))
        self.session = session or UUID(bytes=random.randbytes(16))
        self.events: list[Doc] = []
        self.names = tuple(
            Name(player=f"p{place}", name=name, salt=random.randbytes(16))
            for place, name in enumerate(("Ada", "Bo", "Åsa ♠"), start=1)
        )
        at = 1_700_000_000_000_000 + random.randrange(10**13)
        for version in range(1, size + 1):
            at += random.randrange(10**7)
            made = {"version": version, "type": random.choice(KINDS), "schema": 1, "at": at}
            data = json.dumps({"amount": random.randrange(10**6), "deal": version}, sort_keys=True)
            self.events.append({**made, "by": "host.0", "data": data})
        self.events[0] |= self._opened()
        self.seal()

    def _opened(self) -> Doc:
        data = {
            "names": [name.commitment for name in self.names],
            "players": [name.player for name in self.names],
        }
        return {"type": "session_opened", "data": json.dumps(data)}

    def seal(self, start: int = 0) -> Book:
        """Seal all anew from there on, as somebody with the whole database could."""
        before = bytes.fromhex(self.events[start - 1]["hash"]) if start else chain.FIRST
        for event in self.events[start:]:
            before = chain.seal(
                session_id=self.session,
                kind=event["type"],
                before=before,
                **{name: event[name] for name in ("version", "schema", "at", "by", "data")},
            )
            event["hash"] = before.hex()
        self.tree = Tree().grown(bytes.fromhex(event["hash"]) for event in self.events)
        return self

    def rewritten(self, version: int) -> Book:
        """The same book, signed by its own pen, telling it differently from this version on."""
        made = copy(self)
        made.events = deepcopy(self.events)
        made.events[version - 1]["data"] = '{"amount":1}'
        return made.seal(version - 1)

    @property
    def key(self) -> str:
        return checkpoints.public(self.pen).hex()

    def stood(self, version: int) -> Doc:
        event = self.events[version - 1]
        note = Checkpoint(
            session_id=self.session,
            size=version,
            root=self.tree.root(version),
            hash=bytes.fromhex(event["hash"]),
            at=event["at"],
        )
        signed = checkpoints.signed(self.pen, note)
        said = {"version": version, "hash": event["hash"], "at": iso(event["at"])}
        return {**said, "checkpoint": signed}

    def bare(self, version: int) -> Doc:
        """As it stands under the acknowledgement of a write."""
        return {name: self.stood(version)[name] for name in ("version", "hash", "at")}

    def export(self, size: int | None = None) -> Doc:
        size = size or len(self.events)
        return {
            "format": "vola session 1",
            "session": str(self.session),
            "key": self.key,
            **self.stood(size),
            "events": deepcopy(self.events[:size]),
        }

    def labelled(self, title: str | None = "Fredag ♠", erased: bool = False) -> Doc:
        """As another book takes it in."""
        last = len(self.events)
        gone = Name(player="p2", name=None, salt=None)
        names = tuple(gone if erased and n.player == "p2" else n for n in self.names)
        found = Labels(title=title, names=names, remarks=((2, "Fel kort"), (last, "Igen")))
        return {
            **self.export(),
            **told(found),
            "labels": labels.signed(self.pen, self.session, last, found),
        }

    def receipt(self, version: int, to: int | None = None) -> Doc:
        to = to or len(self.events)
        return {
            "format": "vola receipt 1",
            "session": str(self.session),
            "key": self.key,
            **self.stood(version),
            "head": self.stood(to),
            "inclusion": [one.hex() for one in self.tree.inclusion(version - 1, to)],
            "consistency": [one.hex() for one in self.tree.consistency(version, to)],
        }

    def statement(self, random: Random, changes: tuple[int, ...] | None = None) -> Doc:
        if changes is None:
            changes = tuple(random.randrange(-5000, 5000) for _ in range(random.randrange(4)))
        lines = [{"change": c, "balance": sum(changes[: n + 1])} for n, c in enumerate(changes)]
        mine = sum(changes)
        return {
            "session": str(self.session),
            "title": "Fredag ♠",
            "player": "p1",
            "opening": 0,
            **self.stood(len(self.events)),
            "key": self.key,
            "lines": lines,
            "closing": mine,
            "balances": {"p1": mine, "p2": -mine - 30},
            "pot": 10,
            "bets": [{"id": "b1", "amount": 20}, {"id": "b2", "amount": 7, "paid": False}],
        }


def raw(doc: Any) -> bytes:
    return json.dumps(doc, ensure_ascii=False).encode("utf-8", "surrogatepass")
