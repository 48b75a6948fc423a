"""Preview or import results of earlier evenings: a file, and what a person has chosen about it."""

from base64 import b64decode
from functools import partial
from typing import Any

from marshmallow import Schema, ValidationError, fields, validate

from api.schemas.fields import Flag, Integer, MemberId, length_between, number_between
from api.schemas.session import check_currency
from api.schemas.struct_schema import load_struct
from ledger.transfer.csv_table.cells import MAX_CELL_CHARACTERS, MAX_ROWS
from ledger.transfer.earlier_evenings.mapping import ColumnMapping

MAX_REQUEST_BYTES = 2 * 1024 * 1024
"""A file of one megabyte in base64, and the choices about it."""
RowNumber = partial(Integer, required=True, validate=number_between(1, MAX_ROWS))


class FileContent(fields.String):
    """The bytes of a file in base64 (RFC 4648 §4)."""

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, *args, **kwargs)
        try:
            return b64decode(text, validate=True)
        except ValueError:
            raise ValidationError(validate.Regexp.default_message) from None


class DifferenceSchema(Schema):
    """`row`: the first row of an evening; `member`: who bears its sum if that is not zero."""

    row = RowNumber()
    member = fields.String(required=True, validate=MemberId)


class ImportPreviewSchema(Schema):
    file = FileContent(required=True)
    currency = fields.String(required=True, validate=check_currency)
    mapping = fields.Function(
        deserialize=partial(load_struct, ColumnMapping), load_default=ColumnMapping
    )
    """Which column is which, as far as it is chosen."""
    members = fields.Dict(
        keys=fields.String(validate=length_between(1, MAX_CELL_CHARACTERS)),
        values=fields.String(validate=MemberId, allow_none=True),
        load_default=dict,
        validate=length_between(0, MAX_ROWS),
    )
    omitted_rows = fields.List(RowNumber(), load_default=list, validate=length_between(0, MAX_ROWS))
    differences = fields.List(
        fields.Nested(DifferenceSchema), load_default=list, validate=length_between(0, MAX_ROWS)
    )


class NewImportSchema(ImportPreviewSchema):
    settled = Flag(required=True)
    """Whether the money changed hands already, so that it is no open balance."""
