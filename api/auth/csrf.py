"""Protection against cross-site request forgery: cookies count only from the app's own pages."""

from urllib.parse import urlsplit

from flask import Flask, Request
from werkzeug.datastructures import ImmutableMultiDict
from werkzeug.utils import cached_property

from api.http.security_headers import SAFE_METHODS


class SameSiteRequest(Request):
    """A request without cookies when another site's page made the browser send it.

    The request itself decides: a hook that dropped the cookies could come after a hook that has
    read them.
    """

    @cached_property
    def cookies(self) -> ImmutableMultiDict[str, str]:
        """The cookies; none of a cross-site write, which is then a write without a token.

        `SameSite=Strict` covers most of this, but counts all subdomains of a domain as one site.
        """
        if self.method in SAFE_METHODS or _is_from_own_page(self):
            return super().cookies
        return ImmutableMultiDict()


def register(app: Flask) -> None:
    app.request_class = SameSiteRequest


def _is_from_own_page(request: Request) -> bool:
    """Browsers send one of these headers, at least over https; a client without them has no page
    open, or is an old browser."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("Origin")
    try:
        return origin is None or urlsplit(origin).netloc == request.host
    except ValueError:  # not a URL
        return False
