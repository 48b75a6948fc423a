"""The bench measures every figure of the form in a smoke run; no test says how fast anything is."""

import pytest

from tests.support.browser import chromium
from tests.support.module_output import run_module

FIGURES = (
    *("U5 size, first visit", "U5 size, second visit", "U5 size, installed"),
    *("U5 LCP, first visit", "U5 CLS, first visit"),
    *("U5 a tap on the table", "U5 a tap on the recorder", "U5 a tap on the settlement"),
    *("U1 taps a deal, Polskt pass", "U1 taps a deal, Knektpass", "U3 seen on another phone"),
    *("check of an evening", "check of a season"),
)


@pytest.mark.skipif(chromium.path() is None, reason=chromium.MISSING)
def test_every_figure_of_the_form_is_measured_and_printed():
    printed = run_module("tests.verification.bench.web.web_page", "--smoke")
    for name in ("Chromium", "cores", "4 times slower", *FIGURES):
        assert name in printed
