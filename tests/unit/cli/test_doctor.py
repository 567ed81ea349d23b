"""What is said of a connector's settings and of landed events, and what is never shown."""

import json
from pathlib import Path

import pytest

from lakemirror.cli.connector_settings import CLASSES, FACTORY, RULES, check_file, table
from lakemirror.cli.doctor import (
    DoctorError,
    Finding,
    Record,
    check_records,
    check_topics,
    check_values,
    declared_columns,
    report,
)
from lakemirror.cli.source_tables import SourceTable
from lakemirror.source import types
from lakemirror.source.unavailable import all_forms
from support.small_lake import raw_record, raw_table

PROJECT = Path(__file__).parents[3]
GUIDE = PROJECT / "docs/guides/connector.md"
APICURIO = "io.apicurio.registry.utils.converter.AvroConverter"
JSON_CONVERTER = "org.apache.kafka.connect.json.JsonConverter"
PLACES = {
    "mariadb": {"topic.prefix": "shop", "database.include.list": "other, shop"},
    "vitess": {"topic.prefix": "vt", "vitess.keyspace": "commerce"},
    "postgresql": {"topic.prefix": "pg", "schema.include.list": "public"},
    "mysql": {"topic.prefix": "my", "database.include.list": "my_db"},
}
# a connector in whose settings nothing is wrong
FINE = {
    "provide.transaction.metadata": "true",
    "skipped.operations": "none",
    "value.converter": JSON_CONVERTER,
    "value.converter.replace.null.with.default": "false",
    "heartbeat.interval.ms": "10000",
    "heartbeat.action.query": "update heartbeat set t = now()",
    "transaction.metadata.factory": FACTORY,
    "vitess.inherit.epoch": "true",
    "vitess.stream.keyspace.heartbeats": "true",
}
YAML = """
sources:
  - name: {source}
    config: {{meta: {{debezium: {{connector: {connector}, {setting}}}}}}}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "dbt_project.yml").write_text("{name: p, vars: {topic_sources: {vt: commerce}}}")
    return tmp_path


def declare(folder, source, connector, setting="decimal.format: base64"):
    file = folder / f"models/staging/{source}/_{source}__sources.yml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(YAML.format(source=source, connector=connector, setting=setting))


def connector(kind="mariadb", **more):
    [name] = [name for name, known in CLASSES.items() if known == kind]
    precise = {"bigint.unsigned.handling.mode": "precise"} if kind in ("mariadb", "mysql") else {}
    return {"connector.class": f"io.debezium.x.{name}"} | PLACES[kind] | FINE | precise | more


def found(folder, content, text=None):
    file = folder / "connector.json"
    file.write_text(json.dumps(content) if text is None else text)
    return list(check_file(file, folder))


def whats(findings):
    return [(finding.severity, finding.what) for finding in findings]


@pytest.mark.parametrize(
    ("kind", "source", "setting"),
    [
        ("mariadb", "shop", "bigint.unsigned.handling.mode: precise"),
        ("mysql", "my_db", "bigint.unsigned.handling.mode: precise"),
        ("postgresql", "public", "decimal.format: base64"),
        ("vitess", "commerce", "decimal.format: base64"),
    ],
)
def test_a_connector_with_the_right_settings(folder, kind, source, setting):
    declare(folder, source, kind, setting)
    assert found(folder, connector(kind)) == []
    assert report([]) == ("Nothing was found.\n", False)


NO_TRANSACTION = "provide.transaction.metadata is false by default"
HEARTBEAT = ("warning", "heartbeat.interval.ms is 0 by default")
TRUNCATES = ("error", "skipped.operations is t by default")
CONVERTER = ("warning", "value.converter is not set")
ACTION = ("warning", "heartbeat.action.query is not set")
UNSIGNED = ("warning", "bigint.unsigned.handling.mode is long by default")
FACTORY_DEFAULT = "transaction.metadata.factory is DefaultTransactionMetadataFactory by default"
DEFAULTS = {
    "mariadb": {("warning", NO_TRANSACTION), TRUNCATES, CONVERTER, HEARTBEAT, ACTION, UNSIGNED},
    "mysql": {("warning", NO_TRANSACTION), TRUNCATES, CONVERTER, HEARTBEAT, ACTION, UNSIGNED},
    "postgresql": {("warning", NO_TRANSACTION), TRUNCATES, CONVERTER, HEARTBEAT, ACTION},
    "vitess": {
        *(("error", NO_TRANSACTION), ("error", FACTORY_DEFAULT), CONVERTER, HEARTBEAT),
        ("warning", "vitess.inherit.epoch is false by default"),
        ("warning", "vitess.stream.keyspace.heartbeats is false by default"),
    },
}


@pytest.mark.parametrize("kind", DEFAULTS)
def test_what_debeziums_defaults_lack(folder, kind):
    """Cases 33 and 40 among them: a TRUNCATE that is not sent, a null that becomes a default."""
    [name] = [name for name, known in CLASSES.items() if known == kind]
    findings = found(folder, {"connector.class": name} | PLACES[kind])
    assert {*whats(findings)} - {("warning", "the project has no source of it")} == DEFAULTS[kind]


@pytest.mark.parametrize(
    ("kind", "setting", "value", "said"),
    [
        ("mariadb", "provide.transaction.metadata", False, ["warning"]),
        ("mariadb", "skipped.operations", "t,d", ["error"]),
        ("vitess", "skipped.operations", "t", []),
        ("vitess", "skipped.operations", "d", ["error"]),
        ("vitess", "transaction.metadata.factory", "x.OtherFactory", ["error"]),
        ("postgresql", "decimal.handling.mode", "double", ["error", "error"]),
        ("mariadb", "time.precision.mode", "connect", ["warning", "error"]),
        ("mariadb", "time.precision.mode", "adaptive", ["error"]),
        ("postgresql", "time.precision.mode", "ADAPTIVE", []),
        ("mariadb", "snapshot.mode", "no_data", ["warning"]),
        ("vitess", "snapshot.mode", "never", ["warning"]),
        ("mysql", "snapshot.mode", "when_needed", []),
        ("mysql", "include.schema.changes", "false", ["warning"]),
        ("vitess", "include.schema.changes", "false", []),
        ("mysql", "heartbeat.interval.ms", 0, ["warning"]),
        ("mysql", "heartbeat.interval.ms", 5000, []),
        ("mysql", "heartbeat.interval.ms", "9" * 5000, []),
        ("vitess", "bigint.unsigned.handling.mode", "long", ["warning", "error"]),
        ("mysql", "value.converter.replace.null.with.default", None, ["error"]),
        ("mysql", "value.converter.decimal.format", "NUMERIC", ["error"]),
        ("mysql", "value.converter", "io.confluent.connect.avro.AvroConverter", ["error"]),
        ("mysql", "value.converter", APICURIO, ["error"]),
        ("mysql", "tombstones.on.delete", "false", []),
    ],
)
def test_a_setting(folder, kind, setting, value, said):
    """The project's sources have what a connector has that is set right."""
    for name, of in (("shop", "mariadb"), ("my_db", "mysql")):
        declare(folder, name, of, "bigint.unsigned.handling.mode: precise")
    declare(folder, "public", "postgresql")
    declare(folder, "commerce", "vitess")
    findings = found(folder, connector(kind, **{setting: value}))
    assert [finding.severity for finding in findings] == said
    assert all(setting.rpartition(".")[2] in f.what + f.remedy for f in findings), findings


@pytest.mark.parametrize("setting", ["heartbeat.interval.ms", "skipped.operations"])
def test_a_value_that_kafka_connect_fills_in(folder, setting):
    declare(folder, "commerce", "vitess")
    what = f"{setting} is filled in by a config provider"
    assert whats(found(folder, connector("vitess", **{setting: "${x:y}"}))) == [("warning", what)]
    assert found(folder, connector("vitess", **{"binary.handling.mode": "${x:y}"})) == []


def test_flattened_events(folder):
    """The transform's class is told, whatever it is called."""
    declare(folder, "public", "postgresql")
    flat = {
        "transforms": "route, unwrap",
        "transforms.route.type": "io.debezium.transforms.ByLogicalTableRouter",
        "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
    }
    what = "transforms is ByLogicalTableRouter, ExtractNewRecordState"
    assert whats(found(folder, connector("postgresql", **flat))) == [("error", what)]
    assert found(folder, connector("postgresql", **flat | {"transforms": "route"})) == []


def test_a_sink(folder):
    sink = {"connector.class": "org.apache.iceberg.connect.IcebergSinkConnector"}
    assert whats(found(folder, sink)) == [
        ("error", "transforms is not set"),
        ("warning", "iceberg.tables.evolve-schema-enabled is false by default"),
        ("warning", "iceberg.tables.schema-force-optional is false by default"),
    ]


class TestTheProjectsOwnSettings:
    """What the project reads a source with is what the connector sends."""

    def said(self, folder, **more):
        return whats(found(folder, connector(**more)))

    def test_another_mode(self, folder):
        declare(folder, "shop", "mariadb", "bigint.unsigned.handling.mode: long")
        what = "bigint.unsigned.handling.mode is precise"
        assert self.said(folder) == [("error", what)]

    def test_a_mode_that_there_is_not(self, folder):
        declare(folder, "shop", "mariadb", "bigint.unsigned.handling.mode: precise")
        what = "binary.handling.mode is octal"
        assert self.said(folder, **{"binary.handling.mode": "octal"}) == [("error", what)]

    def test_another_connector(self, folder):
        declare(folder, "shop", "vitess")
        what = "the project reads the source shop as vitess's"
        assert self.said(folder) == [("error", what)]

    def test_a_wrong_declaration(self, folder):
        declare(folder, "shop", "mariadb", "decimal.handling.mode: exact")
        [finding] = found(folder, connector())
        assert finding.what == "source shop"
        assert "decimal.handling.mode is exact, and can be" in finding.why

    def test_no_source(self, folder):
        assert self.said(folder) == [("warning", "the project has no source of it")]

    def test_the_source_of_a_prefix(self, folder):
        """The var topic_sources goes over the name of the database."""
        declare(folder, "commerce", "mariadb")
        more = {"topic.prefix": "vt", "bigint.unsigned.handling.mode": "long"}
        assert [f.severity for f in found(folder, connector(**more))] == ["warning"]

    def test_the_worker_may_have_another_decimal_format(self, folder):
        numeric = "bigint.unsigned.handling.mode: precise, decimal.format: numeric"
        declare(folder, "shop", "mariadb", numeric)
        assert self.said(folder, **{"value.converter": None}) == [CONVERTER]


def test_all_forms_of_a_file(folder):
    """As it is POSTed, as it is read back, and a list of both."""
    declare(folder, "public", "postgresql")
    flat = connector("postgresql", **{"skipped.operations": None})
    posted = {"name": "orders\x1b[31m\n", "config": flat}
    [one], [named] = found(folder, flat), found(folder, posted)
    assert one.what == named.what == "skipped.operations is t by default"
    assert named.where == f"{one.where} (orders?[31m?)"
    assert found(folder, [posted, flat]) == [named, one]


def test_no_secret_is_shown(folder):
    """Whatever else is wrong, of the other settings no value is in what is said."""
    secrets = {
        name: f"hush-{n}"
        for n, name in enumerate(
            ["database.password", "database.user", "database.hostname", "sasl.jaas.config"]
        )
    }
    for kind in PLACES:
        [name] = [name for name, known in CLASSES.items() if known == kind]
        text, _ = report(found(folder, {"connector.class": name} | secrets))
        assert "skipped.operations" in text or kind == "vitess"
        assert "hush" not in text
    text, _ = report(found(folder, connector(**secrets | {"connector.class": "hush.Connector"})))
    assert "connector.class is not known" in text
    assert "hush" not in text
    with pytest.raises(DoctorError) as raised:
        found(folder, None, '{"database.password": "hush", ')
    assert "hush" not in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "{}", "null", "1", '"x"', "[[]]", '{"config": {}}', "[" * 100_000),
        *('{"name": "x", "config": "connector.class"}', '{"a": ' + "9" * 5000 + "}"),
    ],
)
def test_a_file_that_is_none(folder, text):
    with pytest.raises(DoctorError, match=r"connector\.json (cannot be read|has no connector)"):
        found(folder, None, text)


def test_a_file_that_cannot_be_read(folder):
    (folder / "bytes").write_bytes(b"\xff\xfe")
    for path in (folder / "none", folder, folder / "bytes"):
        with pytest.raises(DoctorError, match=r"cannot be read as JSON \(\w+\)$"):
            list(check_file(path, folder))


def test_hostile_values_do_no_harm(folder):
    values = [None, [], {"a": {}}, 1e308, True, "\ud800", "x" * 10_000, "${"]
    for value in values:
        config = {rule.setting: value for rule in RULES} | {"topic.prefix": value}
        text, _ = report(found(folder, config | {"connector.class": "MySqlConnector"}))
        assert max(map(len, text.splitlines())) < 500


def test_rules_and_settings_agree():
    """A default is right, where it is; and a mode's default is the one that decoding knows."""
    for rule in RULES:
        for kind in rule.connectors:
            values = types.SETTINGS.get(kind, {}).get(rule.setting)
            assert values is None or values[0] in rule.default, (kind, rule.setting)


def test_the_guide_has_the_rules():
    """`python -m lakemirror.cli.connector_settings` prints the table."""
    assert f"\n\n{table()}\n" in GUIDE.read_text(encoding="utf-8")
    assert table().count("\n") == len(RULES) + 2


COLUMNS = {
    "columns": [{"name": n, "data_type": t} for n, t in (("id", "int"), ("paid", "numeric(9,0)"))]
}
SETTING = "decimal.handling.mode"
READS = [
    (
        ["1000"],
        {},
        "warning",
        f"{SETTING} cannot be told: shop.orders.paid (numeric(9,0)) has '1000'",
    ),
    (
        [True],
        {},
        "warning",
        f"{SETTING} cannot be told: shop.orders.paid (numeric(9,0)) has True, which none",
    ),
    (["12"], {}, "error", f"{SETTING}=string: from shop.orders.paid, '12'"),
    (["12"], {SETTING: "precise"}, "error", f"{SETTING} is given as precise, and the events show"),
    (["12", True], {SETTING: "string"}, "warning", "1 of 2 values of shop.orders.paid (numeric(9"),
]


@pytest.mark.parametrize(("values", "declared", "severity", "what"), READS)
def test_how_values_come(tmp_path, values, declared, severity, what):
    """What generate asks, learns or says of a source that is there."""
    records = [raw_record(n, id=n, paid=value) for n, value in enumerate(values)]
    orders = SourceTable("shop", "orders", raw_table(tmp_path, records), declared=COLUMNS)
    [finding] = check_values("source shop", "postgresql", [orders], declared)
    assert (finding.severity, finding.where) == (severity, "source shop")
    assert finding.what.startswith(what)
    assert "--setting" not in str(finding)


def test_values_that_come_as_they_are_declared(tmp_path):
    orders = SourceTable("shop", "orders", raw_table(tmp_path, [raw_record(1, id=1, paid="12")]))
    orders.declared = COLUMNS
    assert [*check_values("source shop", "postgresql", [orders], {SETTING: "string"})] == []


def event(op="u", kind="mariadb", **more):
    block = {"mariadb": {"server_id": 1, "file": "b.1", "pos": 4, "row": 0}}
    block |= {"postgresql": {"sequence": '["1","2"]'}, "vitess": {"shard": "0", "vgtid": "[]"}}
    order = {"transaction_epoch": 0, "total_order": 1} if kind == "vitess" else None
    row = {"id": 1, "v": "x"}
    return {
        "op": op,
        "before": row if op in "ud" else None,
        "after": None if op == "d" else row,
        "source": {"connector": kind, "name": "shop"} | block[kind],
        "transaction": order,
    } | more


def record(key, value):
    return Record(key, value, all_forms("?"))


def wrong(*records, known=("id", "v")):
    findings = check_records("raw.t", records, known)
    return [(f.severity, f.what.partition(" records ")[2] or f.what) for f in findings]


@pytest.mark.parametrize("kind", ["mariadb", "postgresql", "vitess"])
@pytest.mark.parametrize("op", "crud")
def test_an_event_as_it_should_be(kind, op):
    assert wrong(record({"id": 1}, event(op, kind))) == []


@pytest.mark.parametrize(
    "other",
    [
        event("m", key={"prefix": "x"}),
        {"ts_ms": 1},
        {"status": "END", "id": "1", "event_count": 1, "data_collections": []},
        {"source": {"server": "shop"}, "ddl": "create table t", "id": 1},
        event("t", before=None, after=None),
    ],
)
def test_records_that_are_no_changes(other):
    """What else may come by a topic is left alone, whatever key it has."""
    assert wrong(record({"id": 1}, other)) == []
    assert wrong(record({}, other)) == []


REMOVED = {"source": {"connector": "mariadb", "name": "shop"}}


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ({"id": 1}, {}, ("error", "are no JSON objects")),
        ({"id": 1}, {"id": 1, "v": 2}, ("error", "are rows without Debezium's envelope")),
        ({}, {"v": 2, "__op": "c"}, ("error", "are rows without Debezium's envelope")),
        ({"id": 1}, event(source=None), ("error", "have no source block")),
        ({"id": 1}, event("c", "vitess", transaction=None), ("error", "have no order")),
        ({"id": 1}, event("c", "vitess", transaction={"id": 1}), ("error", "have no order")),
        ({"id": 1}, event("c", **REMOVED), ("error", "have no order")),
        ({}, event("c"), ("warning", "have no key")),
        (
            *({"id": 1}, event("d", before={"id": None})),
            ("error", "are deletes without their key in `before`"),
        ),
        ({"id": 1}, event("u", before=None), ("warning", "are updates without `before`")),
        ({"id": 1}, event(after={"v": "?"}), ("error", "have values that were not sent")),
        (
            *({"id": 1}, event("u", "postgresql", after={"v": [63]})),
            (
                "warning",
                "have large values that an update left as they were, and that were not sent",
            ),
        ),
    ],
)
def test_events_that_a_mirror_cannot_take(key, value, said):
    """Cases 18, 19, 36 and 39 among them: no order, no key, values that were not sent."""
    fine = record({"id": 1}, event())
    [finding] = check_records("raw.t", [fine, record(key, value), fine], ("id", "v"))
    assert wrong(record(key, value)) == [said]
    assert finding.what.startswith("1 of the 3 newest records ")


def test_updates_of_postgresql_need_no_before():
    """Case 30: a mirror is exact with REPLICA IDENTITY DEFAULT, as long as all values are sent."""
    assert wrong(record({"id": 1}, event("u", "postgresql", before=None))) == []
    assert wrong(record({"id": 1}, event("d", "postgresql", before={"id": 1}))) == []
    assert wrong(record({"id": 1}, event("c", "postgresql", after={"v": "?"}))) == []


def test_columns_that_nobody_knows():
    """An event of a column that is not known loses it (docs/schema-changes.md), by its case too."""
    sent = record({"id": 1}, event(after={"id": 1, "V": 1, "new": 1, "b\n": 1}))
    assert wrong(sent) == [("error", "nobody knows the columns V, b?, new")]
    assert wrong(sent, known=()) == [("warning", "the columns are not known")]


def test_topics_that_have_not_landed(folder):
    """Case 69: PostgreSQL has no schema-change topic; a watermark stands for heartbeats."""
    origins = [("shop", "mariadb", "shop"), ("public", "postgresql", "pg")]
    schemas = ("source shop", "the schema-change topic shop has not landed")
    days = [
        (f"source {s}", f"no heartbeat of {p} has landed, and no watermark") for s, _, p in origins
    ]
    every = {
        "shop__connector_schema_change",
        "shop__connector_heartbeat",
        "pg__connector_heartbeat",
    }

    def said(tables):
        return {(f.where, f.what) for f in check_topics(origins, tables, folder)}

    assert said(set()) == {schemas, *days}
    assert said(every) == set()
    watermark = folder / "models/ops/shop/watermark_shop.sql"
    watermark.parent.mkdir(parents=True)
    watermark.write_text("select 'newest event' as proof")
    assert said(set()) == {schemas, *days}
    watermark.write_text("select 'heartbeats' as proof")
    assert said(set()) == {schemas, days[1]}


def test_declared_columns_have_former_names():
    """Of the table with that identifier; what is left out is known, too."""
    columns = [{"name": "Label", "config": {"meta": {"renamed_from": "title"}}}, {"name": "id"}]
    tables = [{"name": "t", "identifier": "shop__t", "columns": columns}, {"name": "shop__u"}]
    assert declared_columns({"tables": tables}, "shop__t") == {"Label", "title", "id"}
    assert declared_columns({"tables": tables}, "shop__u") == set()
    tables[1]["config"] = {"meta": {"ignored_columns": ["draft"]}}
    assert declared_columns({"tables": tables}, "shop__u") == {"draft"}


def test_errors_are_said_first_and_places_together():
    def finding(severity, where, what="w"):
        return Finding(severity, where, what, "y", "Do z")

    findings = [finding("warning", "a"), finding("error", "c"), finding("error", "b", "v")]
    findings += [finding("warning", "d"), finding("warning", "a")]
    assert report(findings) == (
        "error    b: v: y. Do z.\nerror    c: w: y. Do z.\nwarning  a, d: w: y. Do z.\n",
        True,
    )
    assert report(findings[:1])[1] is False
