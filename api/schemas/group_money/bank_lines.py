"""Lines of a bank's file: preview them, and approve which transfers they show."""

from typing import Any
from uuid import UUID

from marshmallow import Schema, ValidationError, fields, post_load, validate, validates_schema

from api.i18n.field_errors import FieldError
from api.schemas.fields import Amount, Choice, MemberId, length_between
from api.schemas.group_money.imports import FileContent
from api.schemas.session import check_currency
from api.schemas.settlement import METHODS
from api.schemas.struct_schema import load_struct
from ledger.events.event_types import UUID_PATTERN
from ledger.groups.bank_lines.line_approval import Approvals, LineApproval
from ledger.transfer.bank_file import BankColumns
from ledger.transfer.csv_table.dates import DATE_ORDERS

MAX_APPROVALS = 100
LineDigest = validate.Regexp(r"[0-9a-f]{64}\Z")
SessionId = validate.Regexp(rf"{UUID_PATTERN}\Z")


def load_columns(data: Any) -> BankColumns:
    """Return which columns hold what. Raise marshmallow.ValidationError, also without amounts."""
    columns = load_struct(BankColumns, data)
    if not columns.amounts:
        raise ValidationError({"amount": [FieldError("missing")]})
    return columns


class BankFileSchema(Schema):
    file = FileContent(required=True)
    account = fields.String(required=True, validate=MemberId)
    """Whose account it is."""
    currency = fields.String(load_default="SEK", validate=check_currency)
    columns = fields.Function(deserialize=load_columns, load_default=None, allow_none=True)
    date_order = Choice(DATE_ORDERS, load_default=None, allow_none=True)
    decimal_sign = Choice((",", "."), load_default=None, allow_none=True)


class LineApprovalSchema(Schema):
    line_sha256 = fields.String(required=True, validate=LineDigest)
    session = fields.String(load_default=None, allow_none=True, validate=SessionId)
    payer = fields.String(required=True, data_key="from", validate=MemberId)
    payee = fields.String(required=True, data_key="to", validate=MemberId)
    amount = Amount()
    open_amount = Amount()

    @post_load
    def _load_as_approval(self, data: dict[str, Any], **_: Any) -> LineApproval:
        session = data["session"] and UUID(data["session"])
        return LineApproval(**{**data, "session": session})


class BankLineApprovalsSchema(Schema):
    lines = fields.List(
        fields.Nested(LineApprovalSchema), required=True, validate=length_between(1, MAX_APPROVALS)
    )
    currency = fields.String(required=True, validate=check_currency)
    method = Choice(METHODS, load_default="bank")

    @validates_schema(skip_on_field_errors=True)
    def _check_lines_differ(self, data: dict[str, Any], **_: Any) -> None:
        digests = [approval.line_sha256 for approval in data["lines"]]
        duplicates = {
            place: {"line_sha256": [FieldError("same_line")]}
            for place, digest in enumerate(digests)
            if digest in digests[:place]
        }
        if duplicates:
            raise ValidationError({"lines": duplicates})

    @post_load
    def _load_as_approvals(self, data: dict[str, Any], **_: Any) -> Approvals:
        return Approvals(**{**data, "lines": tuple(data["lines"])})
