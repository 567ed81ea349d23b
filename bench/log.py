"""Writes the log that all systems of a case read, and what their tables must hold at the end."""

import json
import sys
from pathlib import Path

from bench.data import Case, add_batch, create_log, wanted_state
from bench.session import open_session
from lakemirror.lake import pyiceberg_catalog


def main() -> None:
    text, folder = sys.argv[1:]
    case, lake = Case(**json.loads(text)), Path(folder)
    lake.mkdir(parents=True)
    spark = open_session(lake, case.memory)
    tables, batches = create_log(spark, case), []
    for batch in range(case.batches):
        add_batch(spark, case, batch)
        catalog = pyiceberg_catalog(lake)
        batches.append({table: catalog.load_table(table).metadata_location for table in tables})
    log = {"batches": batches, "wanted": wanted_state(spark, case)}
    (lake / "log.json").write_text(json.dumps(log))


if __name__ == "__main__":
    main()
