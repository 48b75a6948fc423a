"""`vola witness LINK…`: follow sessions of other books, check them, and cosign what continues."""

import re
import ssl
from collections.abc import Sequence
from math import isnan
from pathlib import Path

import click

from api.cli.command_group import Command
from api.cli.commands.witness.reports import Reports
from api.cli.commands.witness.rounds import follow, look_at_sessions
from api.cli.file_path import FilePath
from api.cli.refusal import Refusal
from api.settings import read_settings
from api.witness.client import BookClient
from api.witness.invite_link import InvalidLink, InviteLink, parse_link
from api.witness.session_watch import Witness
from api.witness.witness_folder import WitnessFolder
from ledger.proofs.checkpoint import public_bytes
from ledger.proofs.signing_key import key_words
from ledger.proofs.witnesses import WITNESS_NAME


@click.command(cls=Command)
@click.argument("links", nargs=-1, metavar="[LINK]...")
@click.option(
    "--links",
    "file",
    type=FilePath(),
    metavar="FILE",
    help="A file with more links, one a line. Other users of this machine can read the arguments of"
    " a command, and a link is a secret.",
)
@click.option(
    "--once",
    "single_round",
    is_flag=True,
    help="Look once; exit code 0 if all hold, 1 if one does not, 2 if one cannot be reached.",
)
@click.option(
    "--every",
    type=click.FloatRange(1, 86_400),
    default=60,
    show_default=True,
    metavar="SECONDS",
    help="How often to look.",
)
@click.option("--name", help="What this witness is called, like a host name; else its key's words.")
@click.option("--key", metavar="HEX", help="The other book's key, if it is known from elsewhere.")
@click.option(
    "--ca-file",
    type=FilePath(),
    metavar="FILE",
    help="Certificates to trust for https, PEM; else those of the system, or SSL_CERT_FILE.",
)
def command(
    links: tuple[str, ...],
    file: str | None,
    single_round: bool,
    every: float,
    name: str | None,
    key: str | None,
    ca_file: str | None,
) -> int:
    """Each LINK is an invite link to a session or a group; a viewer's is enough."""
    invite_links = _parse_links([*links, *(_read_lines(file) if file else [])])
    if name is not None and not re.fullmatch(WITNESS_NAME, name):
        raise Refusal("A name of a witness has 1 to 63 of a-z, 0-9, dot and hyphen.")
    if key is not None and not re.fullmatch("[0-9a-fA-F]{64}", key):
        raise Refusal("The key must be 64 hexadecimal digits.")
    if isnan(every):  # click finds it in every range
        raise Refusal("--every must be a number of seconds.")
    client = BookClient(_tls_context(ca_file))
    folder, reports = WitnessFolder(read_settings().data / "witness"), Reports()
    with folder.lock():
        own_key = folder.load_key()
        public = public_bytes(own_key)
        own_name = name or key_words(public).replace(" ", "-")
        click.echo(f"Witness {own_name}, key {key_words(public)} ({public.hex()})")
        keys = () if key is None else (key.lower(),)
        witness = Witness(client, folder, own_key, own_name, keys)
        if not single_round:
            follow(witness, invite_links, reports, every)
        for link in invite_links:
            look_at_sessions(witness, link, reports)
    return reports.exit_code


def _parse_links(texts: Sequence[str]) -> list[InviteLink]:
    """Return the links, each once. Raise Refusal, which does not repeat a link: it is a secret."""
    if not texts:
        raise Refusal("Name at least one link to a session or a group.")
    links: dict[InviteLink, None] = {}
    for number, text in enumerate(texts, start=1):
        try:
            links[parse_link(text)] = None
        except InvalidLink:
            raise Refusal(
                f"Link {number} is no invite link: https://HOST/#/s/SESSION/TOKEN."
            ) from None
    return list(links)


def _read_lines(file: str) -> list[str]:
    try:
        text = Path(file).read_text("utf-8-sig")  # some editors begin a file with a mark
        return [line for line in text.splitlines() if line.strip()]
    except OSError as error:
        raise Refusal(f"Cannot read {file}: {error.strerror}.") from error
    except UnicodeDecodeError:
        raise Refusal(f"{file} is no text.") from None


def _tls_context(ca_file: str | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError as error:  # an SSLError is one
        raise Refusal(f"Cannot read certificates from {ca_file}: {error.strerror}.") from error
