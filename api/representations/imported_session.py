"""Why a session could not be imported; for the API and for `vola import`."""

from api.i18n.catalog import text
from ledger.transfer.export_format import InvalidExport


def import_fault(error: InvalidExport, language: str) -> str:
    """Return a sentence that says what does not hold."""
    return text(language, f"imports.{error.reason}").format(version=error.version)
