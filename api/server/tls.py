"""The certificate that the page is served with: whether it can be, before anybody waits for it.

One that has ended is only warned of. A clock that was lost with the power, as small machines do,
must not keep a table from playing.
"""

import logging
import ssl
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, SECP384R1
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey as OnCurve
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from api.settings import BadSetting

log = logging.getLogger("vola")

NEITHER = "TLS_CERT and TLS_KEY are not a certificate and its unencrypted key, both PEM."
UNFIT = "TLS_CERT is for a key that the server cannot use; it can RSA of 2048 to 4096 bits, "
UNFIT += "P-256, P-384 and Ed25519."
MARK = b"\xef\xbb\xbf"
"""Some editors put it before a text, which is then no PEM to everybody."""


def check(cert: Path, key: Path) -> None:
    """Refuse what the server could not be started with, and warn of what phones will not take
    today. BadSetting."""
    try:
        made = x509.load_pem_x509_certificates(cert.read_bytes())[0]
        if not _fit(made):
            raise BadSetting(UNFIT)
        if any(file.read_bytes().startswith(MARK) for file in (cert, key)):
            raise BadSetting(NEITHER)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key, password=lambda: b"")
    except (ssl.SSLError, OSError, ValueError) as error:
        raise BadSetting(NEITHER) from error
    begins, ends = made.not_valid_before_utc, made.not_valid_after_utc
    if not begins <= datetime.now(UTC) <= ends:
        span = f"from {begins:%Y-%m-%d %H:%M} to {ends:%Y-%m-%d %H:%M} UTC"
        log.warning("The certificate (TLS_CERT) is good %s, not now: phones will refuse it.", span)


def _fit(made: x509.Certificate) -> bool:
    try:
        public: Any = made.public_key()
    except UnsupportedAlgorithm:
        return False
    match public:
        case RSAPublicKey():
            return 2048 <= public.key_size <= 4096
        case OnCurve():
            return isinstance(public.curve, SECP256R1 | SECP384R1)
        case _:
            return isinstance(public, Ed25519PublicKey)
