"""Files of a session: exports, receipts and statements, made without a server."""

from __future__ import annotations

import json
from copy import copy, deepcopy
from random import Random
from typing import Any
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import convert
from msgspec.structs import replace

from ledger.events import hash_chain as chain
from ledger.events.timestamps import format_timestamp
from ledger.proofs import checkpoint as checkpoints
from ledger.proofs import statement_note
from ledger.proofs.merkle_tree import MerkleTree
from ledger.proofs.signing_key import SigningKey
from ledger.store.append_request import PlayerName, Remark
from ledger.transfer import session_labels
from ledger.transfer.export import labels_json
from ledger.transfer.session_labels import Labels

Doc = dict[str, Any]
KINDS = ("pot_taken", "bet_laid", "trick_recorded", "deal_opened", "payment_settled")


class SignedBook:
    """A book with one session of `size` events, and its signing key."""

    def __init__(self, random: Random, size: int, session: UUID | None = None) -> None:
        self.signing_key = SigningKey(Ed25519PrivateKey.from_private_bytes(random.randbytes(32)))
        self.session = session or UUID(bytes=random.randbytes(16))
        self.events: list[Doc] = []
        self.names = tuple(
            PlayerName(player=f"p{place}", name=name, salt=random.randbytes(16))
            for place, name in enumerate(("Ada", "Bo", "Åsa ♠"), start=1)
        )
        event_time = 1_700_000_000_000_000 + random.randrange(10**13)
        for version in range(1, size + 1):
            event_time += random.randrange(10**7)
            event = {
                "version": version,
                "type": random.choice(KINDS),
                "schema": 1,
                "at": event_time,
            }
            data = json.dumps(event_fields(event["type"], version, random), sort_keys=True)
            self.events.append({**event, "by": "host.0", "data": data})
        self.events[0] |= self._opening()
        self.hash_events()

    @classmethod
    def from_events(cls, session: UUID, events: list[Doc], signing_key: SigningKey) -> SignedBook:
        """Return the book of a session with these events, without its names."""
        book = cls.__new__(cls)
        book.session, book.events, book.signing_key, book.names = session, events, signing_key, ()
        return book.hash_events()

    def _opening(self) -> Doc:
        data = {
            "names": [name.commitment for name in self.names],
            "players": [name.player for name in self.names],
            "game": "polskt_pass",
            "currency": "SEK",
        }
        return {"type": "session_opened", "data": json.dumps(data)}

    def hash_events(self, start: int = 0) -> SignedBook:
        """Hash all events again from `start` on, as a forger with the whole database could."""
        before = bytes.fromhex(self.events[start - 1]["hash"]) if start else chain.GENESIS_HASH
        for event in self.events[start:]:
            fields = convert(event, chain.HashedFields)
            before = chain.hash_event(self.session, fields, before)
            event["hash"] = before.hex()
        self.tree = MerkleTree().with_leaves(bytes.fromhex(event["hash"]) for event in self.events)
        return self

    def rewrite(self, version: int) -> SignedBook:
        """Return the same book, signed with its own key, with other events from this version on."""
        other_book = copy(self)
        other_book.events = deepcopy(self.events)
        other_book.events[version - 1]["data"] = '{"amount":1}'
        return other_book.hash_events(version - 1)

    def with_first_name(self, name: str) -> SignedBook:
        """Return the same book, whose first player has this name."""
        book = copy(self)
        book.events = deepcopy(self.events)
        book.names = (replace(self.names[0], name=name), *self.names[1:])
        book.events[0] |= book._opening()
        return book.hash_events()

    def rotate_key(self, random: Random, endorsed: bool = True) -> SignedBook:
        """Return the same book with a new signing key, which the present one endorses or not."""
        book = copy(self)
        new_key = Ed25519PrivateKey.from_private_bytes(random.randbytes(32))
        book.signing_key = (
            self.signing_key.followed_by(new_key) if endorsed else SigningKey(new_key)
        )
        return book

    @property
    def key(self) -> str:
        return self.signing_key.public_bytes.hex()

    def sign(self, of: UUID, body: str) -> str:
        return checkpoints.sign_note(self.signing_key.private_key, of, body)

    def checkpoint_fields(self, version: int) -> Doc:
        event = self.events[version - 1]
        body = checkpoints.checkpoint_body(
            self.session, self.tree, version, bytes.fromhex(event["hash"]), event["at"]
        )
        signed = self.sign(self.session, body)
        fields = {"version": version, "hash": event["hash"], "at": format_timestamp(event["at"])}
        return {**fields, "checkpoint": signed}

    def bare_receipt(self, version: int) -> Doc:
        """Return the receipt in the form of a response to a write."""
        return {name: self.checkpoint_fields(version)[name] for name in ("version", "hash", "at")}

    def export(self, size: int | None = None) -> Doc:
        size = size or len(self.events)
        return {
            "format": "vola session 1",
            "session": str(self.session),
            **self.signing_key.json_fields(),
            **self.checkpoint_fields(size),
            "events": deepcopy(self.events[:size]),
        }

    def labelled_export(self, title: str | None = "Fredag ♠", erased: bool = False) -> Doc:
        """Return the export with title, names and remarks, as an import reads it."""
        last = len(self.events)
        erased_name = PlayerName(player="p2", name=None, salt=None)
        names = tuple(erased_name if erased and n.player == "p2" else n for n in self.names)
        labels = Labels(
            title=title, names=names, remarks=(Remark(2, "Fel kort"), Remark(last, "Igen"))
        )
        return {
            **self.export(),
            **labels_json(labels),
            "labels": checkpoints.sign_note(
                self.signing_key.private_key,
                self.session,
                session_labels.labels_text(self.session, last, labels),
            ),
        }

    def receipt(self, version: int, head_version: int | None = None) -> Doc:
        head_version = head_version or len(self.events)
        return {
            "format": "vola receipt 1",
            "session": str(self.session),
            **self.signing_key.json_fields(),
            **self.checkpoint_fields(version),
            "head": self.checkpoint_fields(head_version),
            "inclusion": [
                node.hex() for node in self.tree.inclusion_proof(version - 1, head_version)
            ],
            "consistency": [
                node.hex() for node in self.tree.consistency_proof(version, head_version)
            ],
        }

    def statement(self, random: Random, changes: tuple[int, ...] | None = None) -> Doc:
        """Return a signed statement that adds up but does not follow from the events."""
        if changes is None:
            changes = tuple(random.randrange(-5000, 5000) for _ in range(random.randrange(4)))
        lines = [{"change": c, "balance": sum(changes[: n + 1])} for n, c in enumerate(changes)]
        mine = sum(changes)
        return self.sign_document(
            {
                "session": str(self.session),
                "title": "Fredag ♠",
                "player": "p1",
                "opening": 0,
                **self.checkpoint_fields(len(self.events)),
                **self.signing_key.json_fields(),
                "lines": lines,
                "closing": mine,
                "balances": {"p1": mine, "p2": -mine - 30},
                "pot": 10,
                "bets": [{"id": "b1", "amount": 20}, {"id": "b2", "amount": 7, "paid": False}],
            }
        )

    def sign_document(self, doc: Doc, signed_id: UUID | None = None) -> Doc:
        """Return the document with a signature over its present content."""
        signed_id = signed_id or self.session
        fields = {name: value for name, value in doc.items() if name != "signature"}
        body = statement_note.statement_body(signed_id, statement_note.statement_digest(fields))
        note = self.sign(signed_id, body)
        return {**fields, "signature": note}

    def true_statement(self, player: str | None = "p1", size: int | None = None) -> Doc:
        """Return the statement that follows from the events, at a version."""
        size = size or len(self.events)
        lines, balances, balance = [], dict.fromkeys(("pot", *(n.player for n in self.names)), 0), 0
        for event in self.events[:size]:
            for source, target, amount in list_postings(event):
                balances[source] = balances.get(source, 0) - amount
                balances[target] = balances.get(target, 0) + amount
                line = {
                    "version": event["version"],
                    "at": format_timestamp(event["at"]),
                    "kind": event["type"],
                }
                line |= {"deal": event["version"], "amount": amount}
                line |= {"from": write_account(source), "to": write_account(target)}
                if player in (source, target):
                    balance += (change := amount if player == target else -amount)
                    line |= {"change": change, "balance": balance}
                if player in (None, source, target):
                    lines.append({**line, "why": "♠"})
        bets = [{"id": f"b{a[1:]}", "amount": n} for a, n in balances.items() if a[0] == "b"]
        period = (
            {"from": lines[0]["at"], "to": lines[-1]["at"]} if lines else {"from": None, "to": None}
        )
        return self.sign_document(
            {
                "session": str(self.session),
                "game": "polskt_pass",
                "currency": "SEK",
                "player": player,
                "unit": "money",
                "period": period,
                **self.signing_key.json_fields(),
                "filters": {"from": None, "to": None, "tz": "UTC", "begins": None, "ends": None},
                **self.checkpoint_fields(size),
                "opening": 0,
                "lines": lines,
                "closing": balance,
                "pot": balances["pot"],
                "balances": {name.player: balances[name.player] for name in self.names},
                "scores": None,
                "bets": bets,
            }
        )

    def group_statement(self) -> Doc:
        """Return the statement of a group with one session."""
        group_id = UUID(int=self.session.int ^ 1)
        head = {n: x for n, x in self.checkpoint_fields(len(self.events)).items() if n != "at"}
        session = {"session": str(self.session), "key": self.key, **head}
        doc = {
            "group": str(group_id),
            "name": "Torsdag",
            "member": "m1",
            **self.signing_key.json_fields(),
            "opening": 5,
            "lines": [{"change": 6, "balance": 11}],
            "closing": 11,
            "sessions": [session],
            "balances": {"m1": 11, "m2": -10},
            "others": -4,
            "on_tables": 3,
        }
        return self.sign_document(doc, group_id)


def event_fields(kind: str, version: int, random: Random) -> Doc:
    """Return random fields of an event of this type."""
    player, opponent = random.sample(("p1", "p2", "p3"), 2)
    amount = random.randrange(1, 10**6)
    match kind:
        case "deal_opened":
            return {"number": version, "dealer": player, "stake": amount}
        case "pot_taken":
            return {"deal": version, "player": player, "amount": amount}
        case "bet_laid":
            return {"deal": version, "bet": version, "by": [player, opponent], "each": amount}
        case "payment_settled":
            return {"deal": version, "payer": player, "payee": opponent, "amount": amount}
    return {"winner": player}


def list_postings(event: Doc) -> list[tuple[str, str, int]]:
    """Return the postings of an event between players, the pot and bets (`b3`)."""
    fields = json.loads(event["data"])
    match event["type"]:
        case "deal_opened":
            return [(fields["dealer"], "pot", fields["stake"])]
        case "pot_taken":
            return [("pot", fields["player"], fields["amount"])]
        case "bet_laid":
            return [(owner, f"b{fields['bet']}", fields["each"]) for owner in fields["by"]]
        case "payment_settled":
            return [(fields["payer"], fields["payee"], fields["amount"])]
    return []


def write_account(short: str) -> str:
    return (
        short
        if short == "pot"
        else f"{'player:' if short[0] == 'p' else 'bet:'}{short.lstrip('b')}"
    )


def encode_document(doc: Any) -> bytes:
    return json.dumps(doc, ensure_ascii=False).encode("utf-8", "surrogatepass")
