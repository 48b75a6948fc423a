"""The cell formats of a workbook: of texts, times, and amounts in the reader's language."""

from typing import Any

from api.statements.statement import Statement

TIME_FORMAT = "yyyy-mm-dd hh:mm:ss"


class CellFormats(dict[str, Any]):
    """The formats of one workbook by name. Any other key is itself the number format of a time."""

    def __init__(self, workbook: Any, statement: Statement) -> None:
        decimals = f".{'0' * statement.decimal_places}" if statement.decimal_places else ""
        prefix, suffix = _currency_signs(statement)
        positive = f"{prefix}#,##0{decimals}{suffix}"
        amount = f"{positive};[Red]\N{MINUS SIGN}{positive}"
        self._workbook = workbook
        super().__init__(
            head=self._format(bold=True, bottom=1, text_wrap=True),
            amount=self._format(num_format=amount),
            sum=self._format(num_format=amount, bold=True),
            sum_text=self._format(bold=True),
            day=self._format(num_format="yyyy-mm-dd", align="left"),
            text=self._format(text_wrap=True),
            as_text=self._format(text_wrap=True, quote_prefix=True),
        )

    def __missing__(self, number_format: str) -> Any:
        self[number_format] = self._format(num_format=number_format, align="left")
        return self[number_format]

    def _format(self, **properties: Any) -> Any:
        """Return a format; beside a text of several lines, a value is level with the first."""
        return self._workbook.add_format({"valign": "top", **properties})


def _currency_signs(statement: Statement) -> tuple[str, str]:
    """Return what stands before and after an amount, quoted for a number format."""
    if statement.unit == "points":
        return "", ""
    # A number format has one suffix for all amounts, so it takes the plural: "2 marker".
    sample = 2 * 10**statement.decimal_places
    written = statement.translator.format_money(sample, statement.currency)
    prefix, _, suffix = written.partition("2")
    return _quoted(prefix), _quoted(suffix)


def _quoted(sign: str) -> str:
    return f'"{sign}"' if sign else ""
