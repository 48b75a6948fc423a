"""What `vola serve` prints when the page works: the address, and its QR code for the phone."""

from contextlib import suppress

from api.http.lan_address import ALL_INTERFACES, lan_address
from api.representations.qr import terminal
from api.settings import Settings


def show(settings: Settings) -> None:
    """Print the page's address; when listening everywhere, also the one that phones can use."""
    everywhere = settings.host in ALL_INTERFACES
    print(f"Vola: {local_url(settings)}/", flush=True)
    if everywhere and (lan_host := lan_address()):
        url = f"{_scheme(settings)}://{lan_host}:{settings.port}/"
        print(f"Mobil / phone: {url}", flush=True)
        with suppress(UnicodeEncodeError):  # without block characters the address is enough
            print(terminal(url), flush=True)
    if not settings.tls_cert and everywhere:
        print("Over plain http the page cannot be installed or keep the screen awake.", flush=True)
    print("Ctrl-C ends it.", flush=True)


def local_url(settings: Settings) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    host = "127.0.0.1" if settings.host in ALL_INTERFACES else host
    return f"{_scheme(settings)}://{host}:{settings.port}"


def _scheme(settings: Settings) -> str:
    return "https" if settings.tls_cert else "http"
