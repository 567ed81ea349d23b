"""Which table of a source is beaten so that its log goes on: by its name, and by its events."""

import re
from typing import Any

from lakemirror.cli.records import newest_records
from lakemirror.source.schemas import payload

NAME = re.compile(r"(.*_)?heartbeats?")
RECORDS = 200  # the newest, that are looked at
FEW = 32  # rows that are beaten: one, or one a shard


def is_named_so(table: str) -> bool:
    """Whether a table has the name of one of heartbeats.

    >>> [is_named_so(name) for name in ("heartbeat", "debezium_heartbeats", "heartbeat_log")]
    [True, True, False]
    """
    return bool(NAME.fullmatch(table))


def is_beaten(raw: Any) -> bool:
    """Whether the newest records of a raw table write over one row, or over a few again and again.

    A table whose keys others than landing have written goes by its name.

    Args:
        raw: the raw table (pyiceberg).
    """
    if not {"key", "value"} <= {column.name for column in raw.schema().fields}:
        return True
    records = [row for row in newest_records(raw, RECORDS) if row["value"] is not None]
    keys = {row["key"] for row in records}
    updates = sum(payload(row["value"]).get("op") == "u" for row in records)
    return len(keys) == 1 or (1 < len(keys) <= FEW and updates >= len(keys))
