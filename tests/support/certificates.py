"""Self-signed certificates for one run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

HOST = "127.0.0.1"
NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "vola for a test")])
DAY = timedelta(days=1)
Pair = tuple[Path, Path]


def create_certificate(
    folder: Path,
    name: str,
    key: Any = None,
    *,
    begins: timedelta = -DAY,
    ends: timedelta = DAY,
    encryption: Any = None,
) -> Pair:
    """Write a self-signed certificate for 127.0.0.1 and its key."""
    key = key or ec.generate_private_key(ec.SECP256R1())
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(
        issuer_name=NAME,
        subject_name=NAME,
        public_key=key.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=now + begins,
        not_valid_after=now + ends,
    )
    names = x509.SubjectAlternativeName([x509.IPAddress(ip_address(HOST))])
    digest = None if isinstance(key, ed25519.Ed25519PrivateKey) else hashes.SHA256()
    certificate = builder.add_extension(names, critical=False).sign(key, digest)
    cert, secret = folder / f"{name}.pem", folder / f"{name}-key.pem"
    cert.write_bytes(certificate.public_bytes(Encoding.PEM))
    algorithm = encryption or NoEncryption()
    secret.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, algorithm))
    return cert, secret
