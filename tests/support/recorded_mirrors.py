"""The recorded tables that have mirrors, and the projects with them."""

import yaml

from support.lake import PROJECT, Lake
from support.mirror_project import MirrorProject
from support.source_state import COMMERCE_KEYS

TWO_COLUMNS = ("id int, v int", ["id"])
RECORDINGS = {
    # the connector was killed and redelivered; orders move to another shop, so keys change
    "mariadb/large_restart": (
        ("shop", "mariadb"),
        {
            "accounts": (
                "id int, name varchar(60), balance decimal(18,4), note text, "
                "updated_at timestamp(6)",
                ["id"],
            ),
            "orders": (
                "shop_id int, order_no bigint, account_id int, state enum, total decimal(12,2), "
                "at datetime(3)",
                ["shop_id", "order_no"],
            ),
            "order_lines": (
                "shop_id int, order_no bigint, line_no int, sku varchar(20), qty int, price double",
                ["shop_id", "order_no", "line_no"],
            ),
        },
    ),
    # an incremental snapshot amid changes, and a TRUNCATE
    "mariadb/plain": (
        ("shop", "mariadb"),
        {
            "inc_snap": TWO_COLUMNS,
            "trunc_me": TWO_COLUMNS,
            "stock": ("wh char(3), sku varchar(20), qty int", ["sku", "wh"]),
            "fk_parent": ("id int, n varchar(10)", ["id"]),
        },
    ),
    "postgres/plain": (
        ("public", "postgresql"),
        {
            "inc_snap": TWO_COLUMNS,
            "trunc_me": TWO_COLUMNS,
            "stock": ("wh char(3), sku varchar(20), qty int", ["sku", "wh"]),
            "fk_parent": ("id int, n varchar(10)", ["id"]),
            "born_late": ("id int, v varchar(10)", ["id"]),
        },
    ),
    # a copy of two shards with changes between the tables
    "vitess/copy": (("commerce", "vitess"), ["users", "messages"]),
    # gaps in the GTID sets: the connector's own rank stands still and falls
    "vitess/traps": (("commerce", "vitess"), ["users", "messages"]),
    # each record with its Connect schemas
    "vitess/small_schemas": (("commerce", "vitess"), ["users", "messages"]),
    # ranks as JSON numbers, times as texts, zero dates
    "vitess/small_numeric": (("commerce", "vitess"), ["users", "messages"]),
}
# what the connectors of the recordings were set to
SETTINGS = {
    "mariadb/large_restart": {"decimal.handling.mode": "string"},
    "vitess/small_numeric": {
        "decimal.format": "numeric",
        "time.precision.mode": "isostring",
        "bigint.unsigned.handling.mode": "precise",
        "binary.handling.mode": "hex",
    },
}


def commerce_columns(table: str) -> str:
    """The columns as the project itself declares them."""
    file = PROJECT / "models/staging/commerce/_commerce__sources.yml"
    [source] = yaml.safe_load(file.read_text(encoding="utf-8"))["sources"]
    [columns] = [t["columns"] for t in source["tables"] if t["name"] == table]
    return ", ".join(f"{column['name']} {column['data_type']}" for column in columns)


def project_of(lake: Lake, recording: str) -> MirrorProject:
    (source, connector), tables = RECORDINGS[recording]
    if not isinstance(tables, dict):
        tables = {name: (commerce_columns(name), COMMERCE_KEYS[name]) for name in tables}
    return MirrorProject(lake, source, connector, tables, SETTINGS.get(recording))
