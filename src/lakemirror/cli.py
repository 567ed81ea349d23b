"""The console script ``lakemirror``."""

import argparse
import os
import sys
from pathlib import Path

from lakemirror.lake import pyiceberg_catalog
from lakemirror.summary import mirrors, published_days, table

NEXT = """
Where to look next: `make docs` shows the lineage; ops.landing says what was landed, ops.quarantine
what could not be used; `dbt show --inline "select * from daily.shop__orders"` shows a table.
"""
COLUMNS = ("mirror", "rows", "newest source time", "read", "applied", "stale", "duplicate")


def main() -> int:
    """Run the command that the arguments name; 0 when it succeeds."""
    parser = argparse.ArgumentParser(prog="lakemirror")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser(
        "summary", help="what the embedded lake's mirrors hold and which days are published"
    )
    parser.parse_args()
    lake = Path(os.environ.get("LAKEMIRROR_LAKE", "./lake"))
    if not (lake / "catalog.db").exists():
        sys.stderr.write(f"There is no lake in {lake}: run `dbt build` first (LAKEMIRROR_LAKE).\n")
        return 1
    catalog = pyiceberg_catalog(lake)
    sys.stdout.write(table(COLUMNS, mirrors(catalog)) + "\n")
    sys.stdout.write(table(("daily table", "published days"), published_days(catalog)) + NEXT)
    return 0
