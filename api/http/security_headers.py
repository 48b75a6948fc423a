"""Security headers of every response: CSP, HSTS and their kin."""

from functools import lru_cache
from ipaddress import ip_address
from typing import Literal
from urllib.parse import urlsplit

from flask import Flask, Response, current_app, g, request

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "img-src 'self' data:",
        "style-src 'self'",
        "script-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
HstsScope = Literal["host", "subdomains", "off"]
"""The values of `app.config["HSTS"]`."""
HSTS_ONE_YEAR = "max-age=31536000"


def register(app: Flask) -> None:
    app.after_request(_add_security_headers)


def _add_security_headers(response: Response) -> Response:
    present = {name for name, _ in response.headers}  # `name in headers` walks the list each time
    for name, value in HEADERS.items():
        if name not in present:
            response.headers.add(name, value)
    if request.method not in SAFE_METHODS:
        response.headers.setdefault("Cache-Control", "no-store")  # it may set a cookie
    scope = current_app.config.get("HSTS", "host")
    if request.is_secure and scope != "off" and _is_domain_name(request.headers.get("Host", "")):
        subdomains = "; includeSubDomains" if scope == "subdomains" else ""
        response.headers["Strict-Transport-Security"] = HSTS_ONE_YEAR + subdomains
    response.headers["X-Request-Id"] = g.get("request_id", "")
    return response


@lru_cache(maxsize=256)
def _is_domain_name(host: str) -> bool:
    """Whether HSTS suits this host: for `localhost` it would affect every other server on that
    machine, and browsers ignore it for IP addresses."""
    try:
        name = (urlsplit(f"//{host[:300]}").hostname or "").rstrip(".")
    except ValueError:
        return False
    if not name or name == "localhost" or name.endswith(".localhost"):
        return False
    try:
        ip_address(name)
    except ValueError:
        return True
    return False
