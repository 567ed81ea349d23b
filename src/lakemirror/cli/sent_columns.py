"""Which columns the rows of a raw table's events have, read without Spark."""

import json
import re
import time
from collections.abc import Callable, Collection
from typing import Any

import pyarrow.compute as pc

from lakemirror.cli.records import newest_batches
from lakemirror.source.schemas import payload

BATCH = 2_000
PAUSE = 5.0  # seconds between two lines of progress
STRING = r'"(?:[^"\\]|\\.)*"'
FLAT = rf'(?:[^"{{}}\[\]]|{STRING})*'  # what a list or an object has, if neither is inside
VALUE = rf'(?:{STRING}|[^"{{}}\[\],]+|\[{FLAT}\]|\{{{FLAT}\}})'


def sent_columns(
    table: Any, name: str, known: Collection[str], say: Callable[[str], object]
) -> frozenset[str]:
    """The columns of all rows of a raw table's events, and those that are known.

    All records are read. Only rows that have a column which was not known before are parsed.

    Args:
        name: the table's, in a line of progress.
        known: names of columns.
        say: takes a line of progress.
    """
    found, read, said = {*known}, 0, time.monotonic()
    for batch in newest_batches(table, ("value",), BATCH):
        values = batch.column("value")
        is_known = pc.match_substring_regex(values, rows_of(found))
        for value in values.filter(pc.invert(is_known)).to_pylist():
            row = payload(value).get("after")
            found.update(row if isinstance(row, dict) else ())
        read += batch.num_rows
        if time.monotonic() - said > PAUSE:
            say(f"looking for columns of {name}; {read:,} records read\n")
            said = time.monotonic()
    return frozenset(found)


def rows_of(columns: Collection[str]) -> str:
    """A regular expression of events whose row is null, or has none but these columns."""
    names = "|".join(re.escape(json.dumps(name, ensure_ascii=False)) for name in sorted(columns))
    field = rf"(?:{names})\s*:\s*{VALUE}\s*"
    return rf'"after"\s*:\s*(?:null|\{{\s*(?:{field}(?:,\s*{field})*)?\}})'
