"""QR codes, as SVG or for a terminal."""

import io
from functools import lru_cache

import segno


@lru_cache(256)  # making one takes 10 ms
def svg(text: str | bytes) -> str:
    """Return an SVG picture with a quiet zone, black on white. Bytes are encoded as they are."""
    picture = io.BytesIO()
    segno.make(text, error="m").save(
        picture, kind="svg", scale=4, border=3, xmldecl=False, light="#fff", omitsize=True
    )
    return picture.getvalue().decode()


def terminal(text: str) -> str:
    """Return lines for a terminal, two rows of modules a line."""
    lines = io.StringIO()
    segno.make(text, error="l").terminal(lines, border=1, compact=True)
    return lines.getvalue()
