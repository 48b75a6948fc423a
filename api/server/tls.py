"""The check of the TLS certificate when the server starts.

An expired certificate only causes a warning: a small machine that lost its clock with the power
must still let the table play.
"""

import logging
import ssl
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from api.settings import InvalidSetting

log = logging.getLogger("vola")

NOT_A_PAIR = "TLS_CERT and TLS_KEY are not a certificate and its unencrypted key, both PEM."
UNSUPPORTED_KEY = (
    "TLS_CERT has a key that the server cannot use; it accepts RSA of 2048 to 4096 bits, "
    "P-256, P-384 and Ed25519."
)
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""Some editors begin a file with it, which not every reader of PEM accepts."""


def check_certificate(cert: Path, key: Path) -> None:
    """Raise InvalidSetting for a pair that cannot be used; warn of one that phones refuse today."""
    try:
        certificate = x509.load_pem_x509_certificates(cert.read_bytes())[0]
        if not _is_supported_key(certificate):
            raise InvalidSetting(UNSUPPORTED_KEY)
        if any(file.read_bytes().startswith(BYTE_ORDER_MARK) for file in (cert, key)):
            raise InvalidSetting(NOT_A_PAIR)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key, password=lambda: b"")
    except (x509.InvalidVersion, OSError, ValueError) as error:  # an SSLError is an OSError
        raise InvalidSetting(NOT_A_PAIR) from error
    begins, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if not begins <= datetime.now(UTC) <= ends:
        span = f"from {begins:%Y-%m-%d %H:%M} to {ends:%Y-%m-%d %H:%M} UTC"
        log.warning("The certificate (TLS_CERT) is good %s, not now: phones will refuse it.", span)


def _is_supported_key(certificate: x509.Certificate) -> bool:
    try:
        public_key: Any = certificate.public_key()
    except UnsupportedAlgorithm:
        return False
    match public_key:
        case rsa.RSAPublicKey():
            return 2048 <= public_key.key_size <= 4096
        case ec.EllipticCurvePublicKey():
            return isinstance(public_key.curve, ec.SECP256R1 | ec.SECP384R1)
        case _:
            return isinstance(public_key, ed25519.Ed25519PublicKey)
