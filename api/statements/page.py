"""A statement as a page to read and print, sent while it is read.

The curve is drawn for those who see it and told in words and figures for those who do not.
"""

from collections.abc import Iterator

from flask import current_app
from markupsafe import Markup

from api.qr import svg
from api.statements.chart import HEIGHT, WIDTH
from api.statements.parts import ADDRESSES
from api.statements.telling import Telling
from api.words import Speaker

PIECES_AT_ONCE = 400


def page(told: Telling) -> Iterator[bytes]:
    """The page in pieces. Needs the app only to find its template."""
    template = current_app.jinja_env.get_template("statement.html")
    stream = template.stream(
        told=told,
        speak=told.speak,
        mine=told.mine is not None,
        chart=told.chart(),
        contents=told.contents(),
        width=WIDTH,
        height=HEIGHT,
        coded=("seal", *ADDRESSES),
        qr=lambda address: _picture(address, told.speak),
    )
    stream.enable_buffering(PIECES_AT_ONCE)
    return (piece.encode() for piece in stream)


def _picture(address: str, speak: Speaker) -> Markup:
    """Our own drawing of an address that was checked: the only markup that is not from the page."""
    named = Markup('<svg role="img" aria-label="{}"').format(speak("statement.qr"))
    return Markup(svg(address).replace("<svg", named, 1))  # noqa: S704
