"""A statement's format has a writer, and is in the contract, the form and the tests."""

import json
import re

from api.i18n.catalog import LANGUAGES
from api.resources.statements import WRITERS
from api.statements.statement_query import FORMATS, FORMATS_BY_MEDIA_TYPE
from tests.support.api.openapi_contract import OPERATIONS, ROOT, SPEC
from tests.support.api.statement_text import STATEMENT_FORMATS

SCREEN = "api/web/static/screens/statement.js"


def test_every_format_is_written_promised_offered_and_tested() -> None:
    known = set(FORMATS)
    assert set(WRITERS) == known, "WRITERS in api/resources/statements.py"
    in_contract = SPEC["components"]["parameters"]["Format"]["schema"]["enum"]
    assert set(in_contract) == known, "Format in openapi/parameters.yaml"
    for name, file in (("getStatement", "statements"), ("getGroupStatement", "group_statements")):
        content = OPERATIONS[name]["responses"]["200"]["content"]
        assert set(content) == set(FORMATS_BY_MEDIA_TYPE), f"openapi/paths/{file}.yaml"
    source = (ROOT / SCREEN).read_text("utf-8")
    (offered,) = re.findall(r"^const FORMATS = \[(.*)\];$", source, re.MULTILINE)
    # `excel` is a profile of CSV
    assert set(re.findall(r"\w+", offered)) == known | {"excel"}, f"FORMATS in {SCREEN}"
    for language in LANGUAGES:
        file = f"api/web/translations/{language}.more.json"
        sentences = json.loads((ROOT / file).read_text("utf-8"))
        keys = {key for name in known for key in (f"format.{name}", f"format.{name}.for")}
        assert keys <= sentences.keys(), file
    assert set(STATEMENT_FORMATS) == known, "tests/support/api/statement_text.py"
