"""PostgreSQL and Valkey as processes of Vola, so that a card evening needs nothing installed.

Used when DATABASE_URL or REDIS_URL is unset. The first process that enters with a data folder
starts the server, later ones join it, and the last to leave stops it. How this survives `kill -9`
of any of them is explained in `launcher.py`. Knows nothing of tables or jobs.
"""

from ledger.embedded.cluster_upgrade.upgrade_record import confirm_upgrade, last_upgrade
from ledger.embedded.errors import ServerFailed
from ledger.embedded.postgresql import Postgres, has_postgres, postgres
from ledger.embedded.valkey_server import Valkey, valkey

__all__ = [
    "Postgres",
    "ServerFailed",
    "Valkey",
    "confirm_upgrade",
    "has_postgres",
    "last_upgrade",
    "postgres",
    "valkey",
]
