"""`vola key`: the key that the book signs with, in four words to compare, and its rotation."""

import click
import psycopg

from api.cli.announcement import announce
from api.cli.command_group import Command
from api.cli.refusal import Refusal
from api.server import supervisor
from api.settings import read_settings
from ledger.proofs import signing_key

ROTATION_REFUSED = "Only the owner of the tables can rotate the key"


@click.command(cls=Command)
@click.option(
    "--rotate",
    is_flag=True,
    help="Sign with a new key from now on. The present key endorses it, so what was signed before"
    " keeps verifying. Rotate when somebody may have read the present one.",
)
def command(rotate: bool) -> None:
    """The four words are the same on the table's page, on the printed statement and here."""
    with (
        supervisor.running_servers(read_settings(), must_exist=True) as urls,
        psycopg.connect(urls.owner) as db,
    ):
        try:
            key = signing_key.rotate_key(db) if rotate else signing_key.load_signing_key(db)
        except psycopg.errors.UniqueViolation:
            raise Refusal("Somebody else has just rotated the key; look at it first.") from None
        except psycopg.errors.InsufficientPrivilege:
            fault = ROTATION_REFUSED if rotate else "This role may not read the key"
            raise Refusal(f"{fault}: set DATABASE_OWNER_URL.") from None
    public_keys = [earlier.key for earlier in key.earlier_keys] + [key.public_bytes]
    for number, public in enumerate(public_keys, start=1):
        use = "signs now" if number == len(public_keys) else "earlier"
        line = f"{number}  {use:<9}  {signing_key.key_words(public)}  {public.hex()}"
        announce(line, "The key is rotated, but" if rotate else "Nothing was changed, but")
