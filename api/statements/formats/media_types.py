"""The formats of a statement: media type, file suffix, and how a browser is to open the file."""

from typing import Literal, NamedTuple


class Format(NamedTuple):
    """`parameters` of the media type belong into the response, not into content negotiation."""

    media_type: str
    suffix: str
    disposition: Literal["inline", "attachment"]
    parameters: str = ""

    @property
    def content_type(self) -> str:
        return self.media_type + self.parameters


XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
UTF_8 = "; charset=utf-8"
FORMATS = {
    "json": Format("application/json", ".json", "inline"),
    "csv": Format("text/csv", ".csv", "attachment", f"{UTF_8}; header=present"),
    "html": Format("text/html", ".html", "inline", UTF_8),
    "xlsx": Format(XLSX, ".xlsx", "attachment"),
    "pdf": Format("application/pdf", ".pdf", "inline"),
    "hledger": Format("text/x-hledger", ".journal", "attachment", UTF_8),
}
FORMATS_BY_MEDIA_TYPE = {format.media_type: name for name, format in FORMATS.items()}
