"""Names that could harm the reader of a statement: known tricks, and mixtures of them.

`list_hostile_names(2000)` is always the same list; the first hundred are the tricks themselves.
"""

from random import Random

TRICKS = (
    *("=1+1", "+1", "-1", "@SUM(A1)", "=cmd|'/C calc'!A0", '=HYPERLINK("http://x","y")'),
    *("＝1+1", "＋1", "－1", "＠SUM(A1)", "Ada;=1+1", "Ada,=1+1", "Ada|=1+1", "'=1+1", '"=1+1'),
    *(' "=1+1', "Ada ; -1", "=1+1;=2+2", "%0A=1", 'DDE("cmd")', "=WEBSERVICE(1)", "-2+3+cmd|' '"),
    *(
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "</td></table><h1>x",
        "&lt;b&gt;",
    ),
    *(
        '"><svg onload=alert(1)>',
        "javascript:alert(1)",
        "{{7*7}}",
        "{% raw %}",
        "${7*7}",
        "<!--",
        "]]>",
    ),
    *(
        "&#x3c;b&#x3e;",
        "<b>Ada</b>",
        "' onmouseover='x",
        "`x`",
        "<style>*{}",
        "<?xml?>",
        "<![CDATA[x",
    ),
    *(
        "#set page()",
        "#panic()",
        '#image("/etc/passwd")',
        "$x$",
        "*Ada*",
        "_Ada_",
        "@ref",
        "<label>",
    ),
    *('#read("x")', "\\u{41}", "// x", "/* x", "= Rubrik", "~", '#eval("1")', "#let x", "]", "["),
    *(
        "date:2020-01-01",
        "[2020-01-01]",
        "Ada  99 SEK",
        "Ada ; x",
        "Ada|x",
        "(v)",
        "! Ada",
        "include x",
    ),
    *(
        "account x",
        "2020-01-01 x",
        "Ada\u00a0\u00a09 SEK",
        "{10 SEK}",
        "@@ 5",
        "= 5 SEK",
        "* x",
        "; x",
    ),
    *(
        "_x0041_",
        "_x000D_",
        "Ada]x:y*?/\\",
        "History",
        "'Ada'",
        "[Ada]",
        "A" * 40,
        "Å" * 40,
        "&A&P",
    ),
    *(
        "\u202eadA",
        "\u2066Ada",
        "A\u200bda",
        "Ada\u200f",
        "\ufeffAda",
        "A\u0000",
        "A\nB",
        "A\r\n=1",
    ),
    *(
        "אבג",
        "محمد",
        "אבג =1+1",
        "محمد 100",
        "Ada אבג",
        "١٢٣",
        "\u0661 + 1",
        "شكرا <b>",
        "ܐܒܓ",
        "ߊߋ",
    ),
    *(
        "👍",
        "👩\u200d👩\u200d👧",
        "日本",
        "한국",
        "Ada\u0301\u0302\u0303",
        "ﷺ",
        "𝔸𝕕𝕒",
        "A\ufffe",
        "\uffffB",
        "𐀀",
    ),
    *(
        "\U0001fffe",
        "\ufdd0x",
        "null",
        "None",
        "NaN",
        "1e9",
        "TRUE",
        "0x10",
        "0.1",
        "../../x",
        "%s",
        "{0}",
    ),
    *(
        "{name}",
        "%(x)s",
        "C:\\x",
        "' OR 1=1",
        "x'); DROP",
        "\\",
        '"',
        "''",
        "a\tb",
        "a\u2028b",
        "a\u0085b",
    ),
)
PIECES = (
    *TRICKS,
    "Ada",
    "Bo",
    " ",
    ",",
    ";",
    '"',
    "'",
    "=",
    "<",
    "&",
    "#",
    "(",
    "אב",
    "\u200d",
    "🂡",
)


def list_hostile_names(count: int) -> list[str]:
    """Return different names, none longer than a name may be."""
    random = Random(20261121)
    distinct_names = dict.fromkeys(name[:40] for name in TRICKS)
    while len(distinct_names) < count:
        mixed = "".join(random.choice(PIECES) for _ in range(random.randint(2, 4)))
        distinct_names.setdefault(mixed[:40])
    return list(distinct_names)[:count]
