"""What a phone fetches before it shows anything: announced at once, small, and nothing inline."""

import gzip
import re

from tests.support.browser.form_sources import FORM, STATIC, imported

PAGE = (FORM / "templates" / "form.html").read_text("utf-8")
LIMIT = 60_000  # bytes, compressed

NAMED = re.compile(r'/form/static/([^"?]+)')


def test_every_script_of_the_first_screen_is_announced_in_the_page() -> None:
    needed = {path.relative_to(STATIC).as_posix() for path in imported(STATIC / "app.js")}
    announced = {name for name in NAMED.findall(PAGE) if name.endswith(".js")}
    assert sorted(announced) == sorted(needed)


def test_the_first_load_is_small() -> None:
    files = {STATIC / name for name in NAMED.findall(PAGE) if "icons/" not in name}
    # … which are fetched by a phone that gives the form a place among its apps, and by no other
    catalogs = [(FORM / "translations").glob("*.json")]
    longest = max((path for paths in catalogs for path in paths), key=lambda p: p.stat().st_size)
    files |= {longest, FORM / "templates" / "form.html"}
    size = sum(len(gzip.compress(path.read_bytes(), 6)) for path in files)
    print(f"first load: {size} bytes compressed, {len(files)} files")
    assert size <= LIMIT


def test_the_page_needs_nothing_that_the_policy_forbids() -> None:
    assert not re.search(r"<script(?![^>]*\bsrc=)", PAGE)
    assert not re.search(r"<style|\sstyle=|\son\w+=", PAGE)
    assert "//" not in re.sub(r"<!--.*?-->", "", PAGE, flags=re.DOTALL)
    for script in STATIC.rglob("*.js"):
        text = script.read_text("utf-8")
        assert "innerHTML" not in text, script
        assert "insertAdjacentHTML" not in text, script
        assert not re.search(r"\beval\(|new Function", text), script
