"""The pages of a printed statement: each line is whole, and the address fits in."""

import io
import re
from itertools import chain

import pypdf

HEAD_WIDTH_POINTS = 397  # 140 mm, left of the QR code
BOTTOM_MARGIN_POINTS = 56  # 20 mm
LONG_NAMES = [{"name": name * 38} for name in "ABCD"]


def read_pages(answer):
    return pypdf.PdfReader(io.BytesIO(answer.data)).pages


def test_no_line_is_divided_between_two_pages(open_session):
    session = open_session(players=LONG_NAMES)
    lost = ({"type": "open_deal"}, {"type": "declare", "players": ["p2"]})
    for winner in ("p3", "p4", "p1") * 4:
        session.act(*lost, {"type": "result", "winner": winner})
    pages = read_pages(session.get("/statement?format=pdf&lang=en"))
    assert len(pages) > 2
    first_lines = [page.extract_text().split("Amount", 1)[1].split() for page in pages[1:-1]]
    for words in first_lines:
        assert re.fullmatch(r"\d\d/\d\d", words[0]), f"the page begins with {words[:5]}"


def test_the_printed_address_is_as_wide_as_the_head(open_session):
    session = open_session()  # Typst breaks the address of a server with a name by itself
    for player in ("p1", "p2", "p3", "p4"):  # each address has its line breaks elsewhere
        path = f"/statement?format=pdf&lang=en&player={player}"
        (page,) = read_pages(session.get(path, Host="192.168.1.20:8080"))
        edges = [link.get_object()["/Rect"] for link in page["/Annots"]]
        width = max(right for _, _, right, _ in edges) - min(left for left, *_ in edges)
        assert width <= HEAD_WIDTH_POINTS


def test_a_long_list_of_costs_goes_on_on_the_next_page(open_session):
    session = open_session()
    for number in range(1, 91):
        cost = {"payer": "p1", "amount": 400, "purpose": f"Kaffe{number}", "parts": {"p2": 1}}
        assert session.write("/costs", cost).status_code == 201
    pages = read_pages(session.get("/statement?format=pdf&lang=en&player=p4"))
    costs_by_page = [costs_above_footer(page) for page in pages]
    assert [*chain.from_iterable(costs_by_page)] == [f"Kaffe{number}" for number in range(1, 91)]
    assert sum(map(bool, costs_by_page)) == 2


def costs_above_footer(page):
    """Return the purposes of the costs that the page shows above its bottom margin."""
    words = []

    def visit(text, user_matrix, *_):
        height = user_matrix[5]
        if height > BOTTOM_MARGIN_POINTS:
            words.extend(re.findall(r"Kaffe\d+", text))

    page.extract_text(visitor_text=visit)
    return words
