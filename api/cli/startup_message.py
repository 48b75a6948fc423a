"""What `vola serve` prints when the page works: the address, and its QR code for the phone."""

import sys
from collections.abc import Iterator
from contextlib import suppress

from api.cli.command_group import drop_output
from api.http.lan_address import ALL_INTERFACES, lan_address
from api.representations.qr import terminal
from api.settings import Settings


def show(settings: Settings) -> None:
    """Print the page's address; when listening everywhere, also the one that phones can use. The
    server goes on when the output is full or its reader is gone."""
    try:
        for text in _texts(settings):
            print(text, flush=True)
    except OSError:
        drop_output(sys.stdout)


def _texts(settings: Settings) -> Iterator[str]:
    everywhere = settings.host in ALL_INTERFACES
    yield f"Vola: {local_url(settings)}/"
    if everywhere and (lan_host := lan_address()):
        url = f"{_scheme(settings)}://{lan_host}:{settings.port}/"
        yield f"Mobil / phone: {url}"
        with suppress(UnicodeEncodeError):  # without block characters the address is enough
            qr_code = terminal(url)
            qr_code.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
            yield qr_code
    if not settings.tls_cert and everywhere:
        yield "Over plain http the page cannot be installed or keep the screen awake."
    yield "Ctrl-C ends it."


def local_url(settings: Settings) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    host = "127.0.0.1" if settings.host in ALL_INTERFACES else host
    return f"{_scheme(settings)}://{host}:{settings.port}"


def _scheme(settings: Settings) -> str:
    return "https" if settings.tls_cert else "http"
