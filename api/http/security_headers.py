"""Security headers of every response (CSP, HSTS, CORS and others).

The cookies of a request count only if it comes from the app's own pages: against cross-site request
forgery.
"""

from functools import lru_cache
from ipaddress import ip_address
from typing import Literal
from urllib.parse import urlsplit

from flask import Flask, Request, Response, current_app, g
from werkzeug.datastructures import ImmutableMultiDict
from werkzeug.utils import cached_property

from api.http.app_state import current_request

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; style-src 'self'; "
    "script-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
PREFLIGHT_HEADERS = {
    "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE",
    "Access-Control-Allow-Headers": "Accept-Language, Authorization, Content-Type, Idempotency-Key,"
    " If-Match, If-None-Match, Last-Event-ID, Prefer",
    "Access-Control-Max-Age": "86400",
}
EXPOSED_HEADERS = (
    "Content-Disposition, ETag, Idempotency-Replayed, Location, Preference-Applied, RateLimit,"
    " RateLimit-Policy, Retry-After, X-Request-Id"
)
HstsScope = Literal["host", "subdomains", "off"]
"""The values of `app.config["HSTS"]`."""
HSTS_ONE_YEAR = "max-age=31536000"


class SameSiteRequest(Request):
    """A request without cookies when another site's page made the browser send it.

    The request itself decides: a hook that dropped the cookies could come after a hook that has
    read them.
    """

    @cached_property
    def cookies(self) -> ImmutableMultiDict[str, str]:
        """The cookies; none for a cross-site write, which then has no token.

        `SameSite=Strict` covers most of this, but counts all subdomains of a domain as one site.
        """
        if self.method in SAFE_METHODS or _is_from_own_page(self):
            return super().cookies
        return ImmutableMultiDict()


def register(app: Flask) -> None:
    app.request_class = SameSiteRequest
    app.after_request(_add_security_headers)
    app.after_request(_add_cors_headers)


def _is_from_own_page(request: Request) -> bool:
    """Return whether a page of the app may have sent the request. Browsers send one of these
    headers, at least over https; a client without them has no page open, or is an old browser."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("Origin")
    try:
        return origin is None or urlsplit(origin).netloc == request.host
    except ValueError:  # not a URL
        return False


def _add_security_headers(response: Response) -> Response:
    request = current_request()
    present = {name for name, _ in response.headers}  # `name in headers` walks the list each time
    for name, value in HEADERS.items():
        if name not in present:
            response.headers.add(name, value)
    if request.method not in SAFE_METHODS and "Cache-Control" not in present:
        response.headers.add("Cache-Control", "no-store")  # it may set a cookie
    scope = current_app.config.get("HSTS", "host")
    if request.is_secure and scope != "off" and is_domain_name(request.headers.get("Host", "")):
        subdomains = "; includeSubDomains" if scope == "subdomains" else ""
        response.headers["Strict-Transport-Security"] = HSTS_ONE_YEAR + subdomains
    response.headers.add("X-Request-Id", g.get("request_id", ""))
    return response


def cors_headers(app: Flask, path: str, origin: str) -> list[tuple[str, str]]:
    """Let pages of the origins in `app.config["CORS_ORIGINS"]` use the API, with a bearer token:
    cookies never count across origins, so credentials are not allowed."""
    origins = app.config.get("CORS_ORIGINS")
    if not origins or not path.startswith("/v1/"):
        return []
    headers = [("Vary", "Origin")]
    if origin in origins:
        headers.append(("Access-Control-Allow-Origin", origin))
        headers.append(("Access-Control-Expose-Headers", EXPOSED_HEADERS))
    return headers


def _add_cors_headers(response: Response) -> Response:
    request = current_request()
    headers = dict(cors_headers(current_app, request.path, request.headers.get("Origin", "")))
    if headers:
        response.vary.add(headers.pop("Vary"))
    if headers:
        response.headers.update(headers)
        if request.method == "OPTIONS":
            response.headers.update(PREFLIGHT_HEADERS)
    return response


@lru_cache(maxsize=256)
def is_domain_name(host: str) -> bool:
    """Return whether the host is a domain name, and so suits HSTS: for `localhost` it would affect
    every other server on that machine, and browsers ignore it for IP addresses."""
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
