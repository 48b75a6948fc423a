"""A PostgreSQL and a Valkey that run until standard input ends:
`python -m tests.verification.mutation.server_process FOLDER`.

Prints their addresses as one line of JSON. No data has to survive a crash here: no fsync.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import migrations
from ledger import embedded as servers
from ledger.embedded import postgresql
from tests.support.postgresql.cluster import postgres


def main(folder: Path) -> None:
    postgresql.SETTINGS |= {"fsync": "off", "full_page_writes": "off"}
    with postgres(folder) as pg, servers.valkey(folder) as valkey:
        migrations.apply(pg.owner_url, app_url=pg.app_url, audit_url=pg.audit_url)
        urls = {
            "owner_url": pg.owner_url,
            "app_url": pg.app_url,
            "audit_url": pg.audit_url,
            "super_url": pg.super_url,
        }
        print(json.dumps(urls | {"bin": str(pg.bin), "valkey": valkey.url}), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
