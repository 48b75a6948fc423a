"""A statement as a page to read and print, sent while it is read.

The curve is drawn for those who see it and told in words and figures for those who do not.
"""

from collections.abc import Iterator

from flask import current_app
from markupsafe import Markup

from api.qr import svg
from api.state import bets
from api.statements.chart import HEIGHT, WIDTH, chart
from api.statements.telling import Telling
from api.words import Speaker

PIECES_AT_ONCE = 400


def page(told: Telling) -> Iterator[bytes]:
    """The page in pieces. Needs the app only to find its template."""
    template = current_app.jinja_env.get_template("statement.html")
    session, speak, names = told.session, told.speak, told.names
    stream = template.stream(
        told=told,
        speak=speak,
        session=session,
        currency=told.currency,
        title=told.title or session.game.name,
        game=session.game.name,
        side=lambda keeper: speak.people(keeper.split("+"), names),
        account=lambda account: speak.account(account, names),
        mine=told.asked.player is not None,
        bets=bets(session) or (),
        due=[p for p in session.payments.values() if p.status == "due"],
        chart=chart(told),
        width=WIDTH,
        height=HEIGHT,
        qr=_picture(told.address, speak),
    )
    stream.enable_buffering(PIECES_AT_ONCE)
    return (piece.encode() for piece in stream)


def _picture(address: str, speak: Speaker) -> Markup:
    """Our own drawing of an address that was checked: the only markup that is not from the page."""
    named = Markup('<svg role="img" aria-label="{}"').format(speak("statement.qr"))
    return Markup(svg(address).replace("<svg", named, 1))  # noqa: S704
