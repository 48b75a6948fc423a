"""The form joins names as the server does: "Ada, Bo and Cilla", without a comma before "and"."""

from pathlib import Path

import pytest

from api.i18n.catalog import LANGUAGES
from api.i18n.translator import Translator
from tests.support.browser.javascript_engine import run_engine
from tests.support.player_names import FOUR_NAMES

TASKS = """
import { listNames, loadLanguage } from './static/core/translator.js';

globalThis.document = { documentElement: {} };
globalThis.fetch = async () => Response.json({});

export async function list(_, { language, names }) {
  await loadLanguage(language);
  return listNames(names);
}
"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_form_and_the_server_join_names_alike(language: str, tmp_path: Path) -> None:
    tasks = tmp_path / "tasks.js"
    tasks.write_text(TASKS)
    names = {f"p{number}": name for number, name in enumerate(FOUR_NAMES[:3], 1)}
    with run_engine(tasks) as engine:
        in_form = engine.run("list", {"language": language, "names": [*names.values()]})
    assert in_form == Translator(language, names).player_names([*names])
