"""What every answer carries, so that browsers do nothing with it that was not meant; and what a
browser sends along for a page that is not ours, which does not count.
"""

from urllib.parse import parse_qsl, urlsplit

from flask import Flask, Response, g, request

from api.problems import Problem

CONTENT_SECURITY = "; ".join(
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
    "Content-Security-Policy": CONTENT_SECURITY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
FROM_NOW_ON_HTTPS = "max-age=31536000; includeSubDomains"
CHANGES_NOTHING = ("GET", "HEAD", "OPTIONS")


def register(app: Flask) -> None:
    app.before_request(_no_borrowed_cookies)
    app.before_request(_nothing_said_twice)
    app.after_request(_guarded)


def _no_borrowed_cookies() -> None:
    """A write that another site's page has made a browser send is one without a cookie, and is
    answered as every stranger is. `SameSite=Strict` says the same, but thinks that all subdomains
    of a domain are one site."""
    if request.method not in CHANGES_NOTHING and not _from_our_own_page():
        request.environ.pop("HTTP_COOKIE", None)


def _from_our_own_page() -> bool:
    """Browsers say so, at least over https; who says nothing is no browser, or an old one."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("Origin")
    return origin is None or urlsplit(origin).netloc == request.host


def _nothing_said_twice() -> None:
    """Of two values the first reader could take one and the next the other. Problem 400."""
    if request.routing_exception is None and request.path.startswith("/v1/"):
        said = parse_qsl(request.query_string.decode("latin-1"), keep_blank_values=True)
        if len({name for name, _ in said}) < len(said):
            raise Problem(400, "malformed")


def _guarded(response: Response) -> Response:
    said = {name for name, _ in response.headers}  # looked up one by one they are walked each time
    for name, value in HEADERS.items():
        if name not in said:
            response.headers.add(name, value)
    if request.method not in CHANGES_NOTHING:
        response.headers.setdefault("Cache-Control", "no-store")  # a cookie may come with it
    if request.is_secure:
        response.headers["Strict-Transport-Security"] = FROM_NOW_ON_HTTPS
    response.headers["X-Request-Id"] = g.get("request_id", "")
    return response
