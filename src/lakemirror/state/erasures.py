"""What erasures keep of themselves: nothing personal, and what a key is recognised by."""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from lakemirror.layers import layers_of_catalog
from lakemirror.state.ops_tables import OpsTable

KEYS = "LAKEMIRROR_ERASE"  # of the environment: what the command hands over, as JSON
TOLD = "lakemirror.erasure "  # how the line begins that tells the command what was found
BEGUN, ERASED_STATE, PROVEN, UNPROVEN = "begun", "erased", "proven", "not proven"
ERASURES = OpsTable(
    "erasures",
    {
        "erasure_id": "string",
        "model": "string",
        "raw_table": "string",
        "kind": "string",
        "keys": "bigint",
        "state": "string",
        "asked_by": "string",
        "reason": "string",
        "fingerprint": "string",
        "places": "string",
        "files": "bigint",
        "left": "bigint",
        "noted_at": "timestamp",
    },
    "A row per erasure and state: begun, erased, then each proof; append-only, nothing personal.",
)
ERASED_KEYS = OpsTable(
    "erased_keys",
    {
        "erasure_id": "string",
        "raw_table": "string",
        "salt": "string",
        "key_hash": "string",
    },
    "The keys of records that were erased, as salted SHA-256: what comes again is kept out.",
)
ERASED_COLUMNS = OpsTable(
    "erased_columns",
    {
        "erasure_id": "string",
        "raw_table": "string",
        "column_name": "string",
        "is_kept_out": "boolean",
    },
    "The columns that were erased, a row for each name of one, in lower case; those that are kept "
    "out are read by no model and landed no more, until their rows are deleted here.",
)
ERASED_FILES = OpsTable(
    "erased_files",
    {"erasure_id": "string", "table_name": "string", "path": "string"},
    "The files that an erasure is to remove, until they are gone.",
)
TABLES = (ERASURES, ERASED_KEYS, ERASED_COLUMNS, ERASED_FILES)


@dataclass(frozen=True)
class Place:
    """Where something of the keys is.

    Attributes:
        kind: raw, archive, quarantine, conflict, finding, hive, daily, log, tombstone, mirror,
            branch, tag, snapshots or staged.
        table: the table, or the folder.
        rows: how many rows of the keys; of snapshots, how many there are.
        name: of a branch or a tag.
        done: what is done there.
    """

    kind: str
    table: str
    rows: int
    name: str = ""
    done: str = ""


@dataclass(frozen=True)
class Erasure:
    """An erasure as ops.erasures has it last."""

    erasure_id: str
    model: str
    raw_table: str
    kind: str
    keys: int
    state: str
    places: Sequence[Place]

    @classmethod
    def of(cls, row: Any) -> "Erasure":
        given = {name: row[name] for name in cls.__dataclass_fields__}
        return cls(**given | {"places": [Place(**each) for each in json.loads(given["places"])]})


def is_meant(name: str, names: Collection[str]) -> bool:
    """Whether a table's column is one of some names, or what a conflict of types has left of it.

    >>> [is_meant(name, {"v"}) for name in ("V", "v__v1", "v2")]
    [True, True, False]
    """
    return re.sub(r"__v[0-9]+$", "", name.lower()) in names or name.lower() in names


def erasure(catalog: Any, erasure_id: str) -> Erasure | None:
    """The newest state of an erasure, read without Spark; None where there is none of the id."""
    from pyiceberg.exceptions import NoSuchTableError
    from pyiceberg.expressions import EqualTo

    try:
        table = catalog.load_table(f"{layers_of_catalog(catalog).ops}.{ERASURES.name}")
    except NoSuchTableError:
        return None
    wanted: Any = EqualTo("erasure_id", erasure_id)  # type: ignore[misc, call-arg, arg-type]
    rows = table.scan(wanted).to_arrow().to_pylist()
    newest = max(rows, key=lambda row: row["noted_at"], default=None)
    return Erasure.of(newest) if newest else None


def erased_names(catalog: Any, erasure_id: str) -> list[str]:
    """The names of the column that an erasure was of, in lower case; none where it was of rows."""
    from pyiceberg.exceptions import NoSuchTableError
    from pyiceberg.expressions import EqualTo

    try:
        table = catalog.load_table(f"{layers_of_catalog(catalog).ops}.{ERASED_COLUMNS.name}")
    except NoSuchTableError:
        return []
    wanted: Any = EqualTo("erasure_id", erasure_id)  # type: ignore[misc, call-arg, arg-type]
    return sorted({*table.scan(wanted).to_arrow()["column_name"].to_pylist()})


def note_proof(catalog: Any, erasure_id: str, files: int, left: int) -> None:
    """Keep a proof, beside the states of its erasure.

    Args:
        files: how many were searched.
        left: in how many something was found.
    """
    import pyarrow as pa
    from pyiceberg.expressions import EqualTo

    table = catalog.load_table(f"{layers_of_catalog(catalog).ops}.{ERASURES.name}")
    wanted: Any = EqualTo("erasure_id", erasure_id)  # type: ignore[misc, call-arg, arg-type]
    rows = table.scan(wanted).to_arrow()
    [newest] = rows.sort_by([("noted_at", "descending")]).slice(0, 1).to_pylist()
    proof = {"state": UNPROVEN if left else PROVEN, "files": files, "left": left}
    row = {**newest, **proof, "noted_at": datetime.now(UTC)}
    table.append(pa.Table.from_pylist([row], schema=rows.schema))
