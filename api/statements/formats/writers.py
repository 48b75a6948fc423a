"""The writer of each format: a function from a statement to the pieces of its file."""

from collections.abc import Callable, Iterator

from api.statements.formats.csv import write_csv
from api.statements.formats.hledger import write_hledger
from api.statements.formats.html import write_html
from api.statements.formats.json import write_json
from api.statements.formats.pdf import write_pdf
from api.statements.formats.xlsx import write_xlsx
from api.statements.statement import Statement

Writer = Callable[[Statement], Iterator[bytes]]

WRITERS: dict[str, Writer] = {
    "json": write_json,
    "csv": write_csv,
    "html": write_html,
    "xlsx": write_xlsx,
    "pdf": write_pdf,
    "hledger": write_hledger,
}
