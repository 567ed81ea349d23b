"""A source table whose schema changes, as MariaDB's connector tells it."""

import json
from collections.abc import Collection, Mapping
from itertools import product
from typing import Any

from support.depth import DEEP
from support.lake import Lake, messages
from support.mirror_project import MirrorProject
from support.recordings import feed

MIRROR = "mirror.shop__t"
EVERY = tuple(product((2, 3), ("merge-on-read", "copy-on-write")))
# format version and merge mode; the table's own mirror has the defaults, which are the others
VARIANTS = EVERY if DEEP else ((3, "copy-on-write"),)
TIME = 1767225600000  # 2026-01-01
Columns = dict[str, str]


class ChangingShop(MirrorProject):
    """One table whose schema changes; nothing of it is declared, unless a test does."""

    def __init__(self, lake: Lake, key: str = "id") -> None:
        super().__init__(lake, "shop", "mariadb", {"t": ("id int", [key])}, declares={})
        self.key, self.offset, self.time, self.step = key, 0, TIME, 1000

    def configure(self, config: str) -> None:
        self.write_mirror("t", config)

    def write_variants(self) -> list[str]:
        """More mirrors of the table, in other formats and merge modes; returns their relations."""
        query = "select * from {{ ref('stg_shop__t') }}"
        relations = []
        for version, mode in VARIANTS:
            name = f"shop__{mode[:4]}{version}"
            config = f"unique_key=['id'], format_version={version}, merge_mode='{mode}', buckets=2"
            self.write(f"models/mirror/mirror_{name}.sql", f"{{{{ config({config}) }}}}\n{query}")
            relations.append(f"mirror.{name}")
        return relations

    def alter(
        self,
        columns: Columns,
        key: str | None = None,
        required: Collection[str] = (),
        ddl: str | None = None,
        **defaults: str,
    ) -> None:
        """The table's columns and their types from now on; all but the key and what is required
        may be null. ``ddl`` is the statement."""
        self.offset += 1
        given = [
            {"name": n, "typeExpression": kind, "optional": n not in {self.key, *required}}
            | {"defaultValueExpression": defaults.get(n)}
            for n, kind in columns.items()
        ]
        table = {"primaryKeyColumnNames": [key or self.key], "columns": given}
        block = {"name": "shop", "connector": "mariadb", "server_id": 1, **self.place(self.offset)}
        changed = {"type": "ALTER", "id": '"shop"."t"', "table": table}
        self.record("shop", {}, {"source": block, "ddl": ddl, "tableChanges": [changed]})

    def end(self, to: str | None = None) -> None:
        """The table is dropped, or has another name from now on."""
        self.offset += 1
        block = {"name": "shop", "connector": "mariadb", "server_id": 1, **self.place(self.offset)}
        changed: dict[str, Any] = {"type": "DROP", "id": '"shop"."t"', "table": None}
        if to:
            table = {"primaryKeyColumnNames": [self.key], "columns": []}
            names = {"id": '"{}"."{}"'.format(*to.split(".")), "previousId": '"shop"."t"'}
            changed = {"type": "ALTER", "table": table, **names}
        self.record("shop", {}, {"source": block, "ddl": "", "tableChanges": [changed]})

    def know(self, ending: str) -> None:
        """Say that an ending of the table is known."""
        sources = json.loads((self.folder / "models/sources.yml").read_text())
        sources["sources"][0]["tables"][0]["config"] = {"meta": {"known_ending": ending}}
        self.write("models/sources.yml", json.dumps(sources))

    def send(self, op: str, place: int | None = None, **row: Any) -> None:
        """A change of a row; ``place`` is its place in the order, if it is sent late."""
        self.offset += 1
        place = place or self.offset
        block = {"server_id": 1, "row": 0, "db": "shop", "table": "t", **self.place(place)}
        images = {"before": row if op == "d" else None, "after": None if op == "d" else row}
        event = {"op": op, "ts_ms": TIME, "source": block, **images}
        self.record("shop.shop.t", {self.key: row[self.key]}, event)

    def place(self, place: int) -> dict[str, Any]:
        time = self.time + self.step * place
        return {"ts_ms": time, "file": "binlog.000001", "pos": 100 + place}

    def record(self, topic: str, key: Mapping[str, Any], value: Mapping[str, Any]) -> None:
        record = {"topic": topic, "partition": 0, "offset": self.offset, "timestamp": TIME}
        texts = {"key": json.dumps(key), "value": json.dumps(value)}
        feed(self.lake, [json.dumps(record | texts)])

    def run(self, *arguments: str, fails: bool | None = False) -> str:
        return messages(self.dbt("run", *arguments, fails=fails))

    def types(self, relation: str = MIRROR) -> Columns:
        fields = self.lake.catalog.load_table(relation).schema().fields
        return {f.name: str(f.field_type) for f in fields if f.name[:1] != "_"}

    def table(self) -> list[dict[str, Any]]:
        found = self.rows("t").values()
        return sorted(found, key=lambda row: row[self.key])
