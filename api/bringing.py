"""`vola import FILE…`: evenings that were kept in another book, one file each.

A file that is refused is told in a sentence and keeps no other from coming in; the same file twice
is the same evening, so that a run that broke off can be done again.
"""

import argparse
import sys
from hashlib import sha256
from typing import Any

from marshmallow import ValidationError

from api import access, imports, links, words
from api.logs import plain
from api.preconditions import strict_json
from api.problems import Problem, ShapeWrong, pointers
from api.settings import Settings
from ledger import database, origins, taking_in
from ledger.cards import Cards
from ledger.exported import DoesNotHold
from ledger.store import Store
from ledger.writing import Request


class Refused(Exception):
    """A sentence without the file's name."""


def run(chosen: Settings, given: argparse.Namespace) -> int:
    """Take them in, one after the other; 2 when any was refused."""
    from api import serving

    refused = False
    with serving.addresses(chosen) as found:
        pool = database.pool(found.app, size=1)
        try:
            for name in given.files:
                try:
                    done = _one(Store(pool), Cards(pool).secret, name)
                    print(plain(f"{name}: {done}"), flush=True)
                except Refused as why:
                    refused = True
                    print(plain(f"vola: {name}: {why}"), file=sys.stderr)
        finally:
            pool.close()
    return 2 if refused else 0


def _one(store: Store, secret: bytes, name: str) -> str:
    """Where it is now, with the host's way in."""
    raw = _read(name)
    export = _told(lambda: imports.shaped(strict_json(raw)))
    digest = sha256(raw)
    key = origins.own_key(f"file {digest.hexdigest()}")
    request = Request(key=key, digest=digest.digest(), by="host.0", expected="any")

    def take_in() -> Any:
        held = imports.checked(export, seconds=3600)
        return taking_in.take_in(store, held, request, lambda s: imports.shown(s, held))

    reply = taking_in.given(store, request) or _told(take_in)
    right = access.tokens(secret, reply.session_id, imports.new_card(export))["host"]
    way = links.path("s", reply.session_id, right)
    done = "was here already" if reply.replayed else "is here now"
    return f"session {reply.session_id} {done}, at version {reply.version}: {way}"


def _read(name: str) -> bytes:
    try:
        with open(name, "rb") as file:
            return file.read()
    except OSError as error:
        raise Refused(f"cannot be read: {error.strerror}.") from error


def _told(work: Any) -> Any:
    """What `work` makes, or in one English sentence why it does not."""
    try:
        return work()
    except Problem as malformed:
        raise Refused(f"This is not valid JSON: {malformed.more.get('reason')}.") from None
    except (ShapeWrong, ValidationError) as wrong:
        errors = wrong.errors if isinstance(wrong, ShapeWrong) else pointers(wrong.messages)
        first = errors[0]
        raise Refused(f"{first['pointer'] or '/'}: {first['detail']}") from None
    except DoesNotHold as wrong:
        raise Refused(imports.sentence(wrong, "en")) from None
    except taking_in.SameName:
        raise Refused("Two players cannot have the same name.") from None
    except taking_in.AlreadyHere as here:
        at = f", at version {here.version}" if here.version else ""
        sentence = words.text("en", "problems.already_here").rstrip(".")
        raise Refused(f"{sentence}{at}.") from None
