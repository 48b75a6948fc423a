"""The program that checks exports, receipts and statements without Vola, and its texts."""

import json
from pathlib import Path

CATALOG = Path(__file__).parents[2] / "i18n" / "catalogs" / "en.json"
TEXTS = json.loads(CATALOG.read_text("utf-8"))["verify"]
"""Those of the page, in English. `verify.py` has them written out."""
