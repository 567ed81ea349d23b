"""The texts of a generated source, as a person would have written its models."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lakemirror.cli.yaml_lists import quoted
from lakemirror.source.masked import TAG

PRODUCTS = {
    "mariadb": "database {} (MariaDB)",
    "mysql": "database {} (MySQL)",
    "postgresql": "schema {} (PostgreSQL)",
    "vitess": "keyspace {} (Vitess)",
}
NEWEST_EVENT = "newest event"  # a proof that is weaker than heartbeats
RESERVED = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
LARGE = 1_000_000  # rows from which a mirror has buckets, and that a bucket is to have at most
FEWEST, MOST = 16, 1024  # buckets
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
  - name: {quoted_source}
    description: Changes of the {product}, one raw table per topic.
    schema: "{{{{ target.schema_prefix }}}}raw"
    config:
      meta:
        debezium: {{{debezium}}}
{database}      loaded_at_query: "{{{{ complete_until('watermark_{source}') }}}}"
      freshness:
        warn_after: {{count: 2, period: day}}
    tables:
"""
SOURCE_TABLE = """\
      - name: {quoted_name}
        description: {description}
        identifier: {source}__{name}
"""
OF_SOURCE_TABLE = ("name", "description", "identifier", "columns")  # what it says otherwise
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
    {{{{ metadata_columns({metadata}) | indent(4) }}}}
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
LOG = """\
{{{{
    config(
        materialized='log',
        schema='log',
    )
}}}}

select * from {{{{ ref('stg_{source}__{name}') }}}}
"""
LOG_MODEL = """\
  - name: log_{source}__{name}
    description: {description}
    data_tests:
      - columns_of_source
      - no_open_quarantine
    columns:
"""
MIRROR_MODEL = """\
  - name: mirror_{source}__{name}
    description: {description}
    data_tests:
      - columns_of_source
      - no_open_quarantine
"""
DAILY = """\
{{{{
    config(
        {config},
    )
}}}}

select *
from {{{{
    midnight(
        ref('mirror_{source}__{name}'),
        ref('stg_{source}__{name}'),
        ref('watermark_{source}'),
    )
}}}}
"""
MASKED = """\
{{{{ config(materialized='view', schema='masked') }}}}
{{{{ masked(ref('mirror_{source}__{name}')) }}}}
"""
MASKED_MODEL = """\
  - name: masked_{source}__{name}
    description: >
      The rows of the mirror of `{name}`. A column is null unless its `meta.pii` is false here; one
      that is not named here, too.
    columns:
"""
WATERMARK = """\
-- source times have whole seconds, and one may go back by a second or two
select
    '' as shard,
    min(_src_ts) as heard_from,
    max(_src_ts) as heard_until,
    max(_src_ts) - interval 2 seconds as complete_until,
    'heartbeats' as proof
from {{{{ landed(ref('stg_{source}__{name}')) }}}}
where _op in ('c', 'u')
"""
WATERMARK_OF_SHARDS = """\
with

heartbeats as (

    select *
    from {{{{ landed(ref('stg_{source}__{name}')) }}}}
    where _op in ('c', 'u')

),

heard as (

    select min(_src_ts) as heard_from
    from heartbeats

),

live_shards as (

    select
        explode_outer(
            from_json(
                max_by(_src_vgtid, struct(_src_read_ts, _src_ts)), 'array<struct<shard: string>>'
            ).shard
        ) as shard
    from heartbeats

)

-- a live shard that was never heard is there, and holds up the source
select
    coalesce(live_shards.shard, '') as shard,
    (select heard_from from heard) as heard_from,
    max(heartbeats._src_ts) as heard_until,
    max(heartbeats._src_ts) - interval 2 seconds as complete_until,
    'heartbeats' as proof
from live_shards
left join heartbeats on live_shards.shard = heartbeats._src_shard
group by live_shards.shard
"""
WATERMARK_OF_EVENTS = """\
-- no table of heartbeats was found: nobody has proven that nothing is missing from before this
select
    '' as shard,
    min(_src_ts) as heard_from,
    max(_src_ts) as heard_until,
    max(_src_ts) - interval 10 minutes as complete_until,
    '{proof}' as proof
from {{{{ landed(ref('stg_{source}__{name}')) }}}}
"""
WATERMARK_MODEL = """\
models:
  - name: watermark_{source}
    description: >
      Until when every change of {source} has been read by its connector: one row per shard that is
      live, and one where the source has no shards.
    data_tests:
      - unique_combination:
          arguments: {{columns: [shard]}}
    columns:
      - name: shard
        description: The shard; empty where the source has none, or none has been heard yet.
        data_tests: [not_null]
      - name: heard_from
        description: Source time of the source's first heartbeat; earlier days are not known.
      - name: heard_until
        description: Source time of the shard's newest heartbeat; null while there is none.
      - name: complete_until
        description: Two seconds less, since source times are not exact to the second.
      - name: proof
        description: >
          What says so: heartbeats, or something weaker by its name, such as newest event or clock.
          Each day's commit has it, and `lakemirror wait` says it.
        data_tests: [not_null]
"""
DAILY_MODEL = """\
  - name: daily_{source}__{name}
    description: >
      One row per day `ds` and row that the table `{name}` had at the end of that day (UTC).
    data_tests:
      - unique_combination:
          arguments: {{columns: [{key}, ds]}}
      - days_are_published:
          arguments: {{watermark: "{{{{ ref('watermark_{source}') }}}}"}}
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
        key: the names of the key columns; empty where it has none, and gets a log.
        records: how many its raw table has.
        rows: about how many the table has; as many as there are records, where nobody knows more.
        long_numbers: columns of numbers that are texts in the lake.
        declared: the table in the source's YAML; empty where it has none.
        ignored: the columns that its YAML leaves out.
        has_day: whether it has a column ds, and so no daily table.
        columns: the names of its columns.
        is_beaten: whether its name and its events are those of heartbeats.
    """

    source: str
    name: str
    connector: str
    topic: str
    key: Sequence[str]
    records: int = 0
    rows: int = 0
    long_numbers: Sequence[str] = ()
    comment: str | None = None
    column_comments: Mapping[str, str] = field(default_factory=dict)
    declared: Mapping[str, Any] = field(default_factory=dict)
    ignored: Sequence[str] = ()
    has_day: bool = False
    columns: Sequence[str] = ()
    is_beaten: bool = False

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
    heard_by: Plan,
    is_heartbeat: bool,
    deleted: Collection[str] = (),
    database_env: str | None = None,
    is_masked: bool = False,
) -> dict[str, str]:
    """The text of each file by its path in the project.

    A table's staging model comes last: where it is, the table's other models have been.

    Args:
        heard_by: the table whose events say how far the source is complete.
        is_heartbeat: whether it is beaten for that.
        deleted: the paths of models that are left out.
        database_env: the variable of the environment that has the URL of the source's database.
        is_masked: whether mirrors get masked views.
    """

    def kept(layer: str, found: Iterable[Plan]) -> list[Plan]:
        return [table for table in found if model_path(layer, table) not in deleted]

    made = {sources_path(source): sources(source, connector, settings, tables, database_env)}
    keyed = kept("mirror", (table for table in tables if table.key))
    logged = kept("log", (table for table in tables if not table.key))
    beaten = heard_by if is_heartbeat else None
    dated = kept("daily", (t for t in keyed if t is not beaten and not t.has_day))
    for layer, model, found in (
        *(("mirror", mirror, keyed), ("log", log, logged), ("daily", daily, dated)),
    ):
        for table in found:
            made[model_path(layer, table)] = model(table)
    made[f"models/staging/{source}/_{source}__models.yml"] = models(map(staging_model, tables))
    if keyed:
        made[f"models/mirror/{source}/_{source}__mirrors.yml"] = models(map(mirror_model, keyed))
    if logged:
        made[f"models/log/{source}/_{source}__logs.yml"] = models(map(log_model, logged))
    made[watermark_path(source)] = watermark(source, connector, heard_by, is_heartbeat)
    made[f"models/ops/{source}/_{source}__ops.yml"] = WATERMARK_MODEL.format(source=source)
    if dated:
        made[f"models/daily/{source}/_{source}__daily.yml"] = "models:\n" + "".join(
            table.fill(DAILY_MODEL, key=", ".join(map(scalar, table.key))) for table in dated
        )
    if is_masked and keyed:
        made |= {model_path("masked", table): table.fill(MASKED) for table in keyed}
        made[f"models/masked/{source}/_{source}__masked.yml"] = models(map(masked_model, keyed))
    for table in tables:
        made[model_path("staging", table)] = staging(table, table is heard_by)
    return made


def staging(table: Plan, is_heard: bool) -> str:
    """A table's staging model.

    Args:
        is_heard: whether its events say how far the source is complete.
    """
    return table.fill(STAGING, metadata=heard_columns(table.connector) if is_heard else "")


def model_path(layer: str, table: Plan) -> str:
    """Where a table's model of a layer is."""
    prefix = "stg" if layer == "staging" else layer
    return f"models/{layer}/{table.source}/{prefix}_{table.source}__{table.name}.sql"


def watermark_path(source: str) -> str:
    return f"models/ops/{source}/watermark_{source}.sql"


def models(texts: Iterator[str]) -> str:
    return "models:\n" + "\n".join(texts)


def sources(
    source: str,
    connector: str,
    settings: Mapping[str, str],
    tables: Sequence[Plan],
    database_env: str | None,
) -> str:
    debezium = {"connector": connector, **settings}
    text = SOURCE.format(
        source=source,
        quoted_source=scalar(source),
        product=PRODUCTS[connector].format(source),
        debezium=", ".join(f"{scalar(k)}: {scalar(str(v))}" for k, v in debezium.items()),
        database=f"        database_env: {scalar(database_env)}\n" if database_env else "",
    )
    return text + "".join(map(source_table, tables))


def source_table(table: Plan) -> str:
    description = table.declared.get("description") or table.fill(
        "One row per Kafka record of the topic {topic}."
    )
    text = table.fill(
        SOURCE_TABLE, quoted_name=scalar(table.name), description=scalar(description.strip())
    )
    own = {k: v for k, v in table.declared.items() if k not in OF_SOURCE_TABLE}
    if table.ignored:
        config = own.get("config") or {}
        meta = {**(config.get("meta") or {}), "ignored_columns": table.ignored}
        own["config"] = {**config, "meta": meta}
    text += "".join(f"        {name}: {flow(value)}\n" for name, value in own.items())
    columns = table.declared.get("columns") or []
    if columns:
        text += "        columns:\n"
    return text + "".join(f"          - {flow(column)}\n" for column in columns)


def flow(value: Any) -> str:
    """A value of YAML in one line.

    >>> flow({"name": "id", "config": {"meta": {"default": "5"}}, "tags": ["a", None, True, 2]})
    '{name: id, config: {meta: {default: "5"}}, tags: [a, null, true, 2]}'
    """
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{scalar(str(k))}: {flow(v)}' for k, v in value.items())}}}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(flow, value))}]"
    plain = value is None or isinstance(value, bool | int | float)
    return json.dumps(value) if plain else scalar(str(value))


def heard_columns(connector: str) -> str:
    """The technical columns that a watermark needs of what it hears a source by."""
    names = ["_src_read_ts", "_src_shard", "_src_vgtid", "_kfk_topic"]
    if connector != "vitess":
        names = ["_src_read_ts", "_tsc_id", "_kfk_topic"]
    return f"[{', '.join(map(jinja_string, names))}]"


def staging_model(table: Plan) -> str:
    return table.fill(STAGING_MODEL) + "".join(map(documented, STAGING_COLUMNS))


def mirror(table: Plan) -> str:
    buckets = buckets_of(table.rows)
    settings = [unique_key(table), *([f"buckets={buckets}"] if buckets else [])]
    return table.fill(MIRROR, config=config(settings))


def buckets_of(rows: int) -> int:
    """How many buckets a mirror of so many rows begins with; 0 for none.

    >>> [buckets_of(rows) for rows in (999_999, 1_000_000, 16_000_001, 300_000_000)]
    [0, 16, 32, 512]
    """
    if rows < LARGE:
        return 0
    buckets = FEWEST
    while buckets < MOST and rows > buckets * LARGE:
        buckets *= 2
    return buckets


def log(table: Plan) -> str:
    return table.fill(LOG)


def log_model(table: Plan) -> str:
    place = PRODUCTS[table.connector].partition("{}")[2]
    grain = f"One row per change of the table {table.name} of {table.source}{place}, without a key."
    text = table.fill(LOG_MODEL, description=scalar(said(grain, table.comment)))
    return text + comments(table) + "".join(map(documented, ORDER_COLUMNS))


def comments(table: Plan) -> str:
    """The columns that have a comment at the source, but for the key's."""
    found = [item for item in table.column_comments.items() if item[0] not in table.key]
    return "".join(
        f"      - {{name: {scalar(name)}, description: {scalar(said(comment))}}}\n"
        for name, comment in found
    )


def daily(table: Plan) -> str:
    return table.fill(DAILY, config=config([unique_key(table)]))


def watermark(source: str, connector: str, heard_by: Plan, is_heartbeat: bool) -> str:
    """How far a source is complete: by its heartbeats, or by its busiest table's newest event."""
    if not is_heartbeat:
        return heard_by.fill(WATERMARK_OF_EVENTS, proof=NEWEST_EVENT)
    return heard_by.fill(WATERMARK_OF_SHARDS if connector == "vitess" else WATERMARK)


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
    return text + comments(table) + "".join(map(documented, MIRROR_COLUMNS))


def masked_model(table: Plan) -> str:
    """Each column is masked until somebody says otherwise, here or in the source's YAML."""
    declared = table.declared.get("columns") or []
    metas = {column["name"]: (column.get("config") or {}).get("meta") or {} for column in declared}
    text = table.fill(MASKED_MODEL)
    for name in table.columns:
        is_shown = metas.get(name, {}).get(TAG) is False
        column = {"name": name, "config": {"meta": {TAG: not is_shown}}}
        text += f"      - {flow(column)}\n"
    return text


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
    return quoted(text)


def jinja_string(text: str) -> str:
    """A text as a string of Jinja; dbt's parser of configurations knows no escapes."""
    return f'"{text}"' if "'" in text else f"'{text}'"
