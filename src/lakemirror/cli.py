"""The console script ``lakemirror``."""

import argparse
import os
import sys
from pathlib import Path

from lakemirror.lake import pyiceberg_catalog
from lakemirror.summary import mirrors, table

COLUMNS = ("mirror", "rows", "newest source time", "read", "applied", "stale", "duplicate")


def main() -> int:
    """Run the command that the arguments name; 0 when it succeeds."""
    parser = argparse.ArgumentParser(prog="lakemirror")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("summary", help="what every mirror of the embedded lake holds")
    parser.parse_args()
    lake = Path(os.environ.get("LAKEMIRROR_LAKE", "./lake"))
    if not (lake / "catalog.db").exists():
        sys.stderr.write(f"There is no lake in {lake}: run `dbt build` first (LAKEMIRROR_LAKE).\n")
        return 1
    sys.stdout.write(table(COLUMNS, mirrors(pyiceberg_catalog(lake))))
    return 0
