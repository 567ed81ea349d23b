"""The texts of a generated source, as a person would have written its models."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

PRODUCTS = {
    "mariadb": "database {} (MariaDB)",
    "mysql": "database {} (MySQL)",
    "postgresql": "schema {} (PostgreSQL)",
    "vitess": "keyspace {} (Vitess)",
}
RESERVED = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
ORDER_COLUMNS = ("_tx_log", "_tx_epoch", "_tx_rank", "_tx_order")
MIRROR_COLUMNS = (
    *ORDER_COLUMNS,
    *("_op", "_src_ts", "_kfk_partition", "_kfk_offset", "_src_read_ts", "_tsc_id"),
)
STAGING_COLUMNS = (
    *ORDER_COLUMNS,
    *("_op", "_src_ts", "_src_snapshot", "_kfk_partition", "_kfk_offset"),
    *("_src_read_ts", "_tsc_id", "_undecodable", "_undeclared"),
)
SOURCE = """\
sources:
  - name: {source}
    description: Changes of the {product}, one raw table per topic.
    schema: raw
    config:
      meta:
        debezium: {{{debezium}}}
      loaded_at_field: _landed_at
      freshness:
        warn_after: {{count: 2, period: day}}
    tables:
"""
SOURCE_TABLE = """\
      - name: {name}
        description: {description}
        identifier: {source}__{name}
"""
STAGING = """\
with

changes as (

    select * from {{{{ changes(source('{source}', '{name}')) }}}}

),

parsed as (

    select
        *,
        {{{{ debezium_event(source('{source}', '{name}')) | indent(8) }}}}
    from changes

),

decoded as (

    select
        *,
        struct(
            {{{{ debezium_columns(source('{source}', '{name}')) | indent(12) }}}}
        ) as typed
    from parsed

)

select
    typed.*,
    {{{{ debezium_losses(source('{source}', '{name}')) | indent(4) }}}},
    {{{{ tx_rank(source('{source}', '{name}')) | indent(4) }}}},
    {{{{ metadata_columns() | indent(4) }}}}
from decoded
"""
STAGING_MODEL = """\
  - name: stg_{source}__{name}
    description: >
      One row per Kafka record of the topic {topic}, decoded to the
      columns of the table, with its place in the source's order.
    columns:
"""
MIRROR = """\
{{{{
    config(
        {config},
    )
}}}}

select * from {{{{ ref('stg_{source}__{name}') }}}}
"""
MIRROR_MODEL = """\
  - name: mirror_{source}__{name}
    description: {description}
    data_tests:
      - columns_of_source
"""
DAILY = """\
{{{{
    config(
        {config},
    )
}}}}

select * from {{{{ midnight(ref('mirror_{source}__{name}'), ref('stg_{source}__{name}')) }}}}
"""
DAILY_MODEL = """\
  - name: daily_{source}__{name}
    description: >
      One row per day `ds` and row that the table `{name}` had at the end of that day (UTC).
    data_tests:
      - unique_combination:
          arguments: {{columns: [{key}, ds]}}
      - days_are_published:
          arguments: {{source_name: {source}}}
    columns:
      - name: ds
        description: The day that ended.
        data_tests:
          - not_null
"""


@dataclass(frozen=True)
class Plan:
    """A table that gets models.

    Attributes:
        name: the raw table's, without its source.
        key: the names of the key columns.
        is_large: whether its mirror is to have buckets.
        long_numbers: columns of numbers that are texts in the lake.
        declared: the table in the source's YAML; empty where it has none.
    """

    source: str
    name: str
    connector: str
    topic: str
    key: Sequence[str]
    is_large: bool = False
    long_numbers: Sequence[str] = ()
    comment: str | None = None
    column_comments: Mapping[str, str] = field(default_factory=dict)
    declared: Mapping[str, Any] = field(default_factory=dict)

    def fill(self, template: str, **more: str) -> str:
        names = {"source": self.source, "name": self.name, "topic": self.topic}
        return template.format(**names, **more)


def sources_path(source: str) -> str:
    return f"models/staging/{source}/_{source}__sources.yml"


def files(
    source: str,
    connector: str,
    settings: Mapping[str, str],
    tables: Sequence[Plan],
    has_days: bool,
) -> dict[str, str]:
    """The text of each file by its path in the project, what others refer to first; none where
    there are no tables.
    """
    if not tables:
        return {}
    made = {sources_path(source): sources(source, connector, settings, tables)}
    for table in tables:
        made[f"models/staging/{source}/stg_{source}__{table.name}.sql"] = table.fill(STAGING)
        made[f"models/mirror/{source}/mirror_{source}__{table.name}.sql"] = mirror(table)
        if has_days:
            made[f"models/daily/{source}/daily_{source}__{table.name}.sql"] = daily(table)
    made[f"models/staging/{source}/_{source}__models.yml"] = models(map(staging_model, tables))
    made[f"models/mirror/{source}/_{source}__mirrors.yml"] = models(map(mirror_model, tables))
    if has_days:
        made[f"models/daily/{source}/_{source}__daily.yml"] = "models:\n" + "".join(
            table.fill(DAILY_MODEL, key=", ".join(map(scalar, table.key))) for table in tables
        )
    return made


def models(texts: Iterator[str]) -> str:
    return "models:\n" + "\n".join(texts)


def sources(
    source: str, connector: str, settings: Mapping[str, str], tables: Sequence[Plan]
) -> str:
    debezium = {"connector": connector, **settings}
    text = SOURCE.format(
        source=source,
        product=PRODUCTS[connector].format(source),
        debezium=", ".join(f"{scalar(k)}: {scalar(str(v))}" for k, v in debezium.items()),
    )
    return text + "".join(map(source_table, tables))


def source_table(table: Plan) -> str:
    description = table.declared.get("description") or table.fill(
        "One row per Kafka record of the topic {topic}."
    )
    text = table.fill(SOURCE_TABLE, description=scalar(description.strip()))
    columns = table.declared.get("columns") or []
    if columns:
        text += "        columns:\n"
    for column in columns:
        given = {k: column[k] for k in ("name", "data_type", "description") if column.get(k)}
        inside = ", ".join(f"{k}: {scalar(str(v))}" for k, v in given.items())
        text += f"          - {{{inside}}}\n"
    return text


def staging_model(table: Plan) -> str:
    return table.fill(STAGING_MODEL) + "".join(map(documented, STAGING_COLUMNS))


def mirror(table: Plan) -> str:
    buckets = ["buckets=16"] if table.is_large else []
    return table.fill(MIRROR, config=config([unique_key(table), *buckets]))


def daily(table: Plan) -> str:
    return table.fill(DAILY, config=config([unique_key(table), f"source_name='{table.source}'"]))


def config(settings: Sequence[str]) -> str:
    return ",\n        ".join(settings)


def unique_key(table: Plan) -> str:
    names = [jinja_string(name) for name in table.key]
    line = f"unique_key=[{', '.join(names)}]"
    if len(line) <= 90:
        return line
    return "unique_key=[\n            " + ",\n            ".join(names) + ",\n        ]"


def mirror_model(table: Plan) -> str:
    place = PRODUCTS[table.connector].partition("{}")[2]
    grain = f"One row per row of the table {table.name} that lives in {table.source}{place} now."
    text = table.fill(MIRROR_MODEL, description=scalar(said(grain, table.comment)))
    if len(table.key) > 1:
        names = ", ".join(map(scalar, table.key))
        text += "      - unique_combination:\n          arguments:\n"
        text += f"            columns: [{names}]\n"
    text += "    columns:\n"
    for name in table.key:
        text += key_column(table, name)
    for name, comment in table.column_comments.items():
        if name not in table.key:
            text += f"      - {{name: {scalar(name)}, description: {scalar(said(comment))}}}\n"
    return text + "".join(map(documented, MIRROR_COLUMNS))


def key_column(table: Plan, name: str) -> str:
    is_alone = len(table.key) == 1
    part = "The primary key." if is_alone else "Part of the primary key."
    text = f"      - name: {scalar(name)}\n"
    text += f"        description: {scalar(said(part, table.column_comments.get(name)))}\n"
    if not re.fullmatch(r"[a-z_][a-z0-9_]*", name):
        text += "        quote: true\n"
    return text + f"        data_tests: [{'unique, ' if is_alone else ''}not_null]\n"


def documented(column: str) -> str:
    return f"      - {{name: {column}, description: \"{{{{ doc('{column}') }}}}\"}}\n"


def said(*texts: str | None) -> str:
    """Texts as one; what dbt would render of a comment stays as it is."""
    text = " ".join(text for text in texts if text)
    return re.sub(r"\{(?=[{%#])", "{ ", text)


def scalar(text: str) -> str:
    """A text in YAML: plain where it is plain."""
    if re.fullmatch(r"[A-Za-z_][\w. ()]*(?<! )", text, re.ASCII) and text.lower() not in RESERVED:
        return text
    return json.dumps(text)


def jinja_string(text: str) -> str:
    """A text as a string of Jinja; dbt's parser of configurations knows no escapes."""
    return f'"{text}"' if "'" in text else f"'{text}'"
