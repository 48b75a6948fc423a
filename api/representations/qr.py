"""An address as a QR code, so that a phone need not be typed on."""

import io

import segno


def svg(text: str | bytes) -> str:
    """An SVG picture with a quiet zone, black on white. Bytes are put in as they are."""
    out = io.BytesIO()
    segno.make(text, error="m").save(
        out, kind="svg", scale=4, border=3, xmldecl=False, svgns=True, light="#fff", omitsize=True
    )
    return out.getvalue().decode()


def terminal(text: str) -> str:
    """The same for a terminal, two modules a line."""
    out = io.StringIO()
    segno.make(text, error="l").terminal(out, border=1, compact=True)
    return out.getvalue()
