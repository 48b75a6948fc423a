"""What `vola serve` prints when the page works: the address, and its QR code for the phone."""

from contextlib import suppress

from api.addresses import EVERYWHERE, lan_address
from api.qr import terminal
from api.settings import Settings


def show(chosen: Settings) -> None:
    """Where the page is. On every interface: the address a phone on the same network would use."""
    scheme = "https" if chosen.tls_cert else "http"
    everywhere = chosen.host in EVERYWHERE
    lan = lan_address() if everywhere else chosen.host
    print(f"Vola: {here(chosen)}/", flush=True)
    if lan and everywhere:
        there = f"{scheme}://{lan}:{chosen.port}/"
        print(f"Mobil / phone: {there}", flush=True)
        with suppress(UnicodeEncodeError):  # where there are no such signs the address is enough
            print(terminal(there), flush=True)
    if not chosen.tls_cert and everywhere:
        print("Over plain http the page cannot be installed or keep the screen awake.", flush=True)
    print("Ctrl-C ends it.", flush=True)


def here(chosen: Settings) -> str:
    """Where this machine itself finds the page."""
    host = f"[{chosen.host}]" if ":" in chosen.host else chosen.host
    host = "127.0.0.1" if chosen.host in EVERYWHERE else host
    return f"{'https' if chosen.tls_cert else 'http'}://{host}:{chosen.port}"
