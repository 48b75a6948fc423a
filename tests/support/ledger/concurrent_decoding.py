"""`python -m tests.support.ledger.concurrent_decoding`: eight threads are the first to decode each
type of event, all at the same time.
"""

import sys
from contextlib import suppress
from threading import Barrier, Thread

import msgspec

from ledger.events import codec

THREADS = 8


def decode(struct: type[msgspec.Struct], start: Barrier) -> None:
    """Decode an event whose fields, the last one first, are all null, which no field may be."""
    text = msgspec.json.encode(dict.fromkeys(reversed(struct.__struct_fields__))).decode()
    start.wait()
    with suppress(msgspec.ValidationError):
        codec.decode(str(struct.__struct_config__.tag), codec.SCHEMA_VERSION, text)


def main() -> None:
    sys.setswitchinterval(1e-6)
    for struct in reversed(codec.EVENT_CLASSES.values()):
        start = Barrier(THREADS)
        threads = [Thread(target=decode, args=(struct, start)) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print(f"{len(codec.EVENT_CLASSES)} types of events")


if __name__ == "__main__":
    main()
