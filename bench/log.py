"""Writes the log that all systems of a case read, and what their tables must hold at the end."""

import json
import sys
from pathlib import Path

from bench.data import (
    EVENTS,
    RAW,
    Case,
    batch_sql,
    create_events_sql,
    create_raw_sql,
    events_sql,
    newest_sql,
    state,
)
from bench.session import open_session
from lakemirror.lake import pyiceberg_catalog


def main() -> None:
    text, folder = sys.argv[1:]
    case, lake = Case(**json.loads(text)), Path(folder)
    lake.mkdir(parents=True)
    spark = open_session(lake, case.memory)
    spark.sql("create namespace raw")
    spark.sql(create_raw_sql(case))
    tables = [RAW]
    if case.is_json:
        spark.sql(create_events_sql())
        tables.append(EVENTS)
    batches = []
    for batch in range(case.batches):
        spark.sql(batch_sql(case, batch))
        if case.is_json:
            spark.sql(events_sql(batch))
        catalog = pyiceberg_catalog(lake)
        batches.append({table: catalog.load_table(table).metadata_location for table in tables})
    wanted = state(spark, f"({newest_sql(case)}) where op <> 'd'")
    log = {"batches": batches, "wanted": wanted}
    (lake / "log.json").write_text(json.dumps(log))


if __name__ == "__main__":
    main()
