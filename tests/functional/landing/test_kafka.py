"""Landing from a real broker: every record once, whatever dies, expires or is sent meanwhile."""

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError
from stack.services import Kafka, free_port

from dbt.adapters.lakemirror.session import SessionHandle
from lakemirror.landing import kafka as landing
from lakemirror.landing import raw
from lakemirror.landing.broker import Broker, KafkaError
from lakemirror.state.window import LAST
from support.deaths import DeathError
from support.depth import DEEP, deep_only
from support.kafka_broker import Topics
from support.lake import Lake, messages
from support.recordings import write

pytestmark = pytest.mark.xdist_group("kafka")
LAND = ("run", "--select", "landing")
BROKERS, TOPICS = "LAKEMIRROR_KAFKA_BOOTSTRAP_SERVERS", "LAKEMIRROR_TOPICS"
Place = tuple[int, int]


@pytest.fixture
def topics(kafka: Kafka, lake: Lake, monkeypatch: pytest.MonkeyPatch) -> Iterator[Topics]:
    """Topics that the landing is subscribed to."""
    made = Topics(kafka, lake)
    monkeypatch.setenv(BROKERS, kafka.address)
    monkeypatch.setenv(TOPICS, f"{made.prefix}([.].*)?")
    yield made
    made.close()


def landed(lake: Lake, table: str = "orders") -> dict[Place, tuple[Any, Any]]:
    """Key and value by partition and offset; a place that is there twice fails."""
    try:
        rows = lake.catalog.load_table(f"raw.shop__{table}").scan().to_arrow().to_pylist()
    except (NoSuchTableError, NoSuchNamespaceError):
        return {}
    found = {
        (row["_kfk_partition"], row["_kfk_offset"]): (row["key"], row["value"]) for row in rows
    }
    assert len(found) == len(rows), "a record is there twice"
    return found


def values(lake: Lake, table: str = "orders") -> list[str]:
    return [value for _, (_, value) in sorted(landed(lake, table).items())]


def reports(lake: Lake) -> list[dict[str, Any]]:
    return lake.catalog.load_table("ops.landing").scan().to_arrow().to_pylist()


def change(number: int, **source: Any) -> str:
    return json.dumps({"op": "c", "after": {"id": number}, "source": {"ts_ms": number} | source})


def test_what_is_new_lands_once(lake: Lake, topics: Topics) -> None:
    """F05, F23; cases 12, 86: texts as they are, null values and keys, and nothing where all is."""
    topics.create("orders", partitions=2)
    topics.create("notes")
    sent = [change(1_767_225_600_000), "no JSON", "Zoë \u2028 \u0001", ""]
    topics.send("orders", *sent, None)
    topics.send("orders", "other", key=None, partition=1)
    lake.dbt(*LAND)
    expected = {(0, n): ("{}", value) for n, value in enumerate([*sent, None])}
    assert landed(lake) == expected | {(1, 0): (None, "other")}
    assert landed(lake, "notes") == {}
    row = lake.catalog.load_table("raw.shop__orders").scan(limit=1).to_arrow().to_pylist()[0]
    assert row["_kfk_topic"] == topics.name("orders")
    newest = {row["partition"]: row["newest_src_ts"] for row in reports(lake) if row["records"]}
    assert newest == {0: datetime(2026, 1, 1, tzinfo=UTC), 1: None}

    before = [lake.snapshots(name) for name in ("raw.shop__orders", "ops.landing")]
    lake.dbt(*LAND)
    after = [lake.snapshots(name) for name in ("raw.shop__orders", "ops.landing")]
    assert after[0] == before[0]

    topics.send("orders", "later", partition=1)
    lake.dbt(*LAND)
    assert landed(lake)[1, 1] == ("{}", "later")
    assert len(landed(lake)) == len(expected) + 2
    last = max(reports(lake), key=lambda row: (row["landed_at"], row["partition"] or 0))
    told = ("partition", "from_offset", "to_offset", "records", "proven_offset", "end_offset")
    assert [last[name] for name in told] == [1, 1, 1, 1, 1, 2]


@deep_only
def test_landing_needs_no_memory_but_the_table(lake: Lake, topics: Topics, sql: Any) -> None:
    """F24, F26: the report is lost, the commits that said how far it was have expired."""
    topics.create("orders")
    topics.send("orders", *map(str, range(5)))
    lake.dbt(*LAND)
    topics.send("orders", *map(str, range(5, 8)))
    lake.dbt(*LAND)
    sql(
        "call lake.system.rewrite_data_files(table => 'raw.shop__orders', "
        "options => map('rewrite-all', 'true'))"
    )
    sql(
        "call lake.system.expire_snapshots(table => 'raw.shop__orders', "
        "older_than => current_timestamp(), retain_last => 1)"
    )
    sql("drop table ops.landing")
    topics.send("orders", "8")
    lake.dbt(*LAND)
    assert values(lake) == [str(n) for n in range(9)]
    lake.dbt(*LAND)
    assert values(lake) == [str(n) for n in range(9)]


@pytest.mark.parametrize(
    ("module", "step", "nth"),
    [(raw, "until_alone", 1), (raw, "until_alone", 2), (landing, "keep_schemas", 1)],
)
@pytest.mark.parametrize("when", ["before", "after"] if DEEP else ["after"])
def test_death_at_any_step(
    lake: Lake,
    topics: Topics,
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    step: str,
    when: str,
    nth: int,
) -> None:
    """F24, F31: the rerun lands what is left, and keeps the schemas of what had landed."""
    schema = {"type": "struct", "fields": [], "name": "t.shop.orders.Envelope"}
    fields = [{"type": "int64", "field": "id", "optional": False}]
    for side in ("before", "after"):
        schema["fields"].append(
            {"type": "struct", "fields": fields, "field": side, "name": "t.shop.orders.Value"}
        )
    schema["fields"] += [
        {"type": "string", "field": "op"},
        {"type": "struct", "fields": [], "field": "source"},
    ]
    source = {"connector": "postgresql", "db": "shop", "schema": "shop", "table": "orders"}
    event = json.dumps(
        {"schema": schema, "payload": json.loads(change(1, **source))}, separators=(",", ":")
    )
    topics.create("orders", partitions=2)
    topics.create("notes")
    topics.send("orders", event)
    topics.send("orders", "1", "2", partition=1)
    topics.send("notes", "note")
    run, calls = getattr(module, step), []

    def dying(*arguments: Any) -> None:
        calls.append(step)
        is_last = len(calls) == nth
        if is_last and when == "before":
            raise DeathError("the process died here")
        run(*arguments)
        if is_last:
            raise DeathError("the process died here")

    monkeypatch.setattr(module, step, dying)
    lake.dbt(*LAND, fails=True)
    monkeypatch.setattr(module, step, run)
    lake.dbt(*LAND)
    assert landed(lake) == {(0, 0): ("{}", event), (1, 0): ("{}", "1"), (1, 1): ("{}", "2")}
    assert values(lake, "notes") == ["note"]
    history = lake.catalog.load_table("raw.schema_history").scan().to_arrow().to_pylist()
    assert [row["raw_table"] for row in history] == ["shop__orders"]


def test_two_landings_at_once(lake: Lake, topics: Topics, monkeypatch: pytest.MonkeyPatch) -> None:
    """F32: another landing commits the same records after this one has looked at the table, and
    before it commits."""
    topics.create("orders")
    topics.send("orders", "0", "1")
    look, looks = raw.history_of, list[str]()

    def other_meanwhile(session: Any, table: str) -> Any:
        found = look(session, table)
        looks.append(table)
        if len(looks) < 2:  # the first asks how far the topic is landed
            return found
        monkeypatch.setattr(raw, "history_of", look)
        other = SessionHandle(str(lake.folder.resolve()), lake.spark_conf(), {}, lake.folder / "l")
        wanted = landing.Wanted(f"{topics.prefix}.*", "earliest", 1000, False)
        landing.land_kafka(other.session, topics.settings, wanted, None, {}, print)
        other.close()
        topics.send("orders", "2")
        return found

    monkeypatch.setattr(raw, "history_of", other_meanwhile)
    lake.dbt(*LAND)
    assert values(lake) == ["0", "1"]
    lake.dbt(*LAND)
    assert values(lake) == ["0", "1", "2"]


def test_others_land_in_the_table_too(lake: Lake, topics: Topics, sql: Any) -> None:
    """F24, F32: what they have landed is looked for once, and then known not to be there."""
    topics.create("orders")
    topics.send("orders", "0", "1")
    lake.dbt(*LAND)
    sql(
        "insert into lake.raw.shop__orders select key, '2', _kfk_topic, _kfk_partition, 2L, "
        "_kfk_timestamp, _src_ts, _landed_at from lake.raw.shop__orders where value = '1'"
    )
    for sent in (["2", "3"], ["4"]):
        topics.send("orders", *sent)
        lake.dbt(*LAND)
    assert values(lake) == [str(n) for n in range(5)]
    commits = lake.catalog.load_table("raw.shop__orders").snapshots()
    assert [LAST in commit.summary.additional_properties for commit in commits] == [
        *(True, False, True, True)
    ]


def test_partitions_and_topics_that_come_later(lake: Lake, topics: Topics) -> None:
    """They are read from their first record, though the first landing began at the end."""
    topics.create("orders")
    topics.send("orders", "before")
    latest = ("--vars", "{landing_start: latest}")
    lake.dbt(*LAND, *latest)
    topics.grow("orders", 2)
    topics.create("notes")
    topics.send("orders", "after")
    topics.send("orders", "other", partition=1)
    topics.send("notes", "note")
    lake.dbt(*LAND, *latest)
    assert landed(lake) == {(0, 1): ("{}", "after"), (1, 0): ("{}", "other")}
    assert values(lake, "notes") == ["note"]


def test_where_the_first_landing_begins(lake: Lake, topics: Topics) -> None:
    """By offsets, which the rest of the topics need not have, and by a time."""
    topics.create("orders", partitions=2)
    topics.send("orders", "0", "1", "2")
    topics.send("orders", "other", partition=1)
    start = {"landing_start": {topics.name("orders"): {"0": 2}}}
    lake.dbt(*LAND, "--vars", json.dumps(start))
    assert landed(lake) == {(0, 2): ("{}", "2"), (1, 0): ("{}", "other")}


def test_a_time_to_begin_at(lake: Lake, topics: Topics) -> None:
    """That of the records in Kafka, in UTC."""
    topics.create("orders", partitions=2)
    topics.send("orders", "0")
    time.sleep(0.05)
    now = datetime.now(UTC) + timedelta(milliseconds=1)
    time.sleep(0.05)
    topics.send("orders", "1")
    lake.dbt(*LAND, "--vars", json.dumps({"landing_start": now.replace(tzinfo=None).isoformat()}))
    assert landed(lake) == {(0, 1): ("{}", "1")}


def test_a_commit_takes_so_many_records(lake: Lake, topics: Topics) -> None:
    """Each says how far it is, so that a death loses one commit at most."""
    topics.create("orders", partitions=2)
    topics.send("orders", *map(str, range(5)))
    topics.send("orders", *map(str, range(4)), partition=1)
    lake.dbt(*LAND, "--vars", "{commit_records: 4}")
    assert len(landed(lake)) == 9
    commits = lake.catalog.load_table("raw.shop__orders").snapshots()
    told = [json.loads(s.summary.additional_properties[landing.OFFSETS]) for s in commits]
    assert told == [{"0": 4, "1": 0}, {"0": 5, "1": 3}, {"0": 5, "1": 4}]


def test_records_that_kafka_deleted(lake: Lake, topics: Topics) -> None:
    """F27: a gap is an error that names it, and is left only where somebody says so."""
    topics.create("orders")
    topics.send("orders", "0", "1")
    lake.dbt(*LAND)
    topics.send("orders", "2", "3", "4")
    topics.forget("orders", 0, 4)
    said = messages(lake.dbt(*LAND, fails=True))
    assert f"{topics.name('orders')}: of partition 0 the records 2 to 3 were deleted" in said
    assert "accept_loss: true" in said
    assert values(lake) == ["0", "1"]
    lake.dbt(*LAND, "--vars", "{accept_loss: true}")
    assert values(lake) == ["0", "1", "4"]


def test_a_partition_that_lost_its_beginning(lake: Lake, topics: Topics) -> None:
    """F27: one that has come since, and one that was empty; and a loss of all that there was."""
    topics.create("orders", partitions=2)
    topics.send("orders", "0")
    lake.dbt(*LAND)
    topics.grow("orders", 3)
    for partition in (1, 2):
        topics.send("orders", "lost", "kept", partition=partition)
        topics.forget("orders", partition, 1)
        said = messages(lake.dbt(*LAND, fails=True))
        assert f"of partition {partition} the records 0 to 0 were deleted" in said
        lake.dbt(*LAND, "--vars", "{accept_loss: true}")
        assert landed(lake)[partition, 1] == ("{}", "kept")
    topics.send("orders", "lost")
    topics.forget("orders", 0, 2)
    lake.dbt(*LAND, fails=True)
    lake.dbt(*LAND, "--vars", "{accept_loss: true}")
    topics.send("orders", "later")
    lake.dbt(*LAND)
    assert landed(lake)[0, 2] == ("{}", "later")


def test_a_table_that_is_gone_lands_again(lake: Lake, topics: Topics, sql: Any) -> None:
    """Whatever is reported of it."""
    topics.create("orders")
    topics.send("orders", "0", "1")
    lake.dbt(*LAND)
    sql("drop table raw.shop__orders")
    lake.dbt(*LAND)
    assert values(lake) == ["0", "1"]


@pytest.mark.parametrize("recorded", ["0", "other"])
def test_records_of_files_at_the_same_offsets(
    lake: Lake, topics: Topics, monkeypatch: pytest.MonkeyPatch, recorded: str
) -> None:
    """F02: the same record is there already, another one is refused."""
    monkeypatch.delenv(BROKERS)
    monkeypatch.delenv(TOPICS)
    record = {"topic": topics.name("orders"), "partition": 0, "offset": 0, "timestamp": 1}
    write(lake.recordings, "orders", [json.dumps(record | {"key": "{}", "value": recorded})])
    lake.dbt(*LAND)
    monkeypatch.setenv(BROKERS, topics.settings["bootstrap.servers"])
    monkeypatch.setenv(TOPICS, f"{topics.prefix}.*")
    topics.create("orders")
    topics.send("orders", "0", "1")
    is_other = recorded != "0"
    said = messages(lake.dbt(*LAND, fails=is_other))
    assert ("partition 0 offset 0 has two different records" in said) == is_other
    assert values(lake) == ([recorded] if is_other else ["0", "1"])


def proven(lake: Lake, topics: Topics) -> int:
    """Up to which offset heartbeats are proven."""
    mine = [row for row in reports(lake) if row["topic"] == topics.name("heartbeat")]
    return max(row["proven_offset"] for row in mine)


def test_a_topic_that_is_not_there_any_more(lake: Lake, topics: Topics) -> None:
    """No heartbeat proves anything meanwhile, until somebody says that it is gone for good."""
    for table in ("orders", "heartbeat"):
        topics.create(table)
        topics.send(table, "0")
    lake.dbt(*LAND)
    assert proven(lake, topics) == 0
    topics.delete("orders")
    topics.send("heartbeat", "1")
    for _ in range(2):
        said = messages(lake.dbt(*LAND))
        assert f"{topics.name('orders')} have landed, and are not there any more" in said
    assert values(lake, "heartbeat") == ["0", "1"]
    assert proven(lake, topics) == 0
    lake.dbt(*LAND, "--vars", "{accept_loss: true}")
    topics.send("heartbeat", "2")
    lake.dbt("--warn-error", *LAND)
    assert proven(lake, topics) == 2


def test_an_open_transaction_proves_nothing(lake: Lake, topics: Topics) -> None:
    """Kafka shows a transaction partition by partition: a heartbeat may be there before a change
    that it follows. One that hangs is said."""
    topics.create("orders")
    topics.create("heartbeat")
    topics.send("heartbeat", "0")
    lake.dbt(*LAND)
    sender = topics.new_producer(transactional_id=topics.prefix)
    sender.initTransactions()
    sender.beginTransaction()
    topics.send("orders", "open", producer=sender)
    topics.send("heartbeat", "1")
    lake.dbt("--warn-error", *LAND)
    assert proven(lake, topics) == 0
    assert "It has not moved since the last landing" in messages(lake.dbt(*LAND))
    assert proven(lake, topics) == 0
    sender.commitTransaction()
    sender.close()
    lake.dbt("--warn-error", *LAND)
    assert values(lake) == ["open"]
    assert proven(lake, topics) == 1


def test_a_first_landing_from_the_end_that_dies(
    lake: Lake, topics: Topics, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F24: the next one goes on from where that began, in each topic."""
    for table in ("orders", "notes"):
        topics.create(table)
        topics.send(table, "before")

    def dying(*arguments: Any) -> None:
        raise DeathError("the process died here")

    latest = ("--vars", "{landing_start: latest}")
    with monkeypatch.context() as deadly:
        deadly.setattr(landing, "land_topic", dying)
        lake.dbt(*LAND, *latest, fails=True)
    for table in ("orders", "notes"):
        topics.send(table, "after")
    lake.dbt(*LAND, *latest)
    assert [values(lake), values(lake, "notes")] == [["after"], ["after"]]


def test_a_topic_that_begins_to_land_proves_nothing_yet(
    lake: Lake, topics: Topics, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cases 70, 71: heartbeats of a source whose first landing has died do not count."""
    topics.create("notes")
    topics.send("notes", "0")
    lake.dbt(*LAND)
    topics.create("heartbeat")
    topics.send("heartbeat", "0")
    with monkeypatch.context() as deadly:
        deadly.setattr(landing, "keep_schemas", lambda *_: 1 / 0)
        lake.dbt(*LAND, fails=True)
    assert values(lake, "heartbeat") == ["0"]
    assert proven(lake, topics) == -1
    lake.dbt(*LAND)
    assert proven(lake, topics) == 0


def test_a_topic_that_is_compacted(lake: Lake, topics: Topics) -> None:
    """Of a row that was deleted only the tombstone may be left."""
    topics.create("orders", cleanup_policy="compact")
    topics.send("orders", "0")
    lake.dbt("--warn-error", *LAND)
    topics.send("orders", "1")
    said = messages(lake.dbt(*LAND))
    assert f"{topics.name('orders')}: cleanup.policy has compact: of a row" in said


@deep_only
def test_a_pattern_without_the_topic_of_schema_changes(
    lake: Lake, topics: Topics, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B11: it is there and not landed: a warning, until the pattern that it proposes is set."""
    monkeypatch.setattr(topics, "name", lambda table: f"{topics.prefix}{table}")
    topics.create(".shop.orders")
    monkeypatch.setenv(TOPICS, f"{topics.prefix}[.].*")
    lake.dbt("--warn-error", *LAND)
    topics.create("")
    said = messages(lake.dbt(*LAND))
    wanted = f"{topics.prefix}[.].*|{topics.prefix}"
    assert f"Land it too: '{wanted}' matches it." in said
    monkeypatch.setenv(TOPICS, wanted)
    lake.dbt("--warn-error", *LAND)


def test_a_topic_that_would_share_a_table_waits_alone(lake: Lake, topics: Topics) -> None:
    """The first keeps its table; the second lands from its beginning once it has one."""
    topics.create("orders")
    topics.create("transaction")
    topics.send("orders", "0")
    topics.send("transaction", '{"status":"BEGIN","id":"1","event_count":null}')
    lake.dbt("--warn-error", *LAND)
    assert landed(lake, "connector_transaction").keys() == {(0, 0)}
    topics.create("Orders")
    topics.send("Orders", "upper")
    topics.send("orders", "1")
    said = messages(lake.dbt(*LAND))
    waiting = f"Until then {topics.name('Orders')} are not landed"
    assert f"{{{topics.name('Orders')}: other_source}}. {waiting}" in said
    assert values(lake) == ["0", "1"]
    topics.send("Orders", "too")
    sources = {"topic_sources": {topics.name("Orders"): "shop_upper"}}
    lake.dbt("--warn-error", *LAND, "--vars", json.dumps(sources))
    table = lake.catalog.load_table("raw.shop_upper__orders").scan().to_arrow()
    assert sorted(table["value"].to_pylist()) == ["too", "upper"]
    assert values(lake) == ["0", "1"]


@pytest.mark.parametrize("sent", [1, 3])
def test_a_topic_that_was_made_anew(lake: Lake, topics: Topics, sent: int) -> None:
    """F02: its offsets are others', also where it has as many records by now, or more."""
    topics.create("orders")
    topics.send("orders", "0", "1")
    lake.dbt(*LAND)
    topics.delete("orders")
    topics.create("orders")
    topics.send("orders", *["new"] * sent)
    said = messages(lake.dbt(*LAND, fails=True))
    assert "RawConflictError" in said
    assert "topic_sources" in said
    assert values(lake) == ["0", "1"]


@deep_only
def test_records_that_kafka_nearly_deleted(lake: Lake, topics: Topics) -> None:
    """Before any is lost; not where nothing was landed before, or every record is kept."""
    hour = 3_600_000
    configs = {"orders": str(24 * hour), "notes": str(24 * hour), "kept": "-1"}
    for table, retention in configs.items():
        topics.create(table, retention_ms=retention)
    now = time.time_ns() // 1_000_000
    topics.send("orders", "at first", time_ms=now - 18 * hour)
    topics.send("kept", "at first")
    lake.dbt("--warn-error", *LAND)
    for table in configs:
        topics.send(table, "later", time_ms=now - 11 * hour)
    lake.dbt("--warn-error", *LAND)
    for table in configs:
        topics.send(table, "too late", time_ms=now - 18 * hour)
    said = messages(lake.dbt(*LAND))
    assert f"{topics.name('orders')}: records had waited 0.8 of the 1.0 days" in said or (
        f"{topics.name('notes')}: records had waited 0.8 of the 1.0 days" in said
    )
    assert "and so had those of 1 more topics. Land more often" in said
    assert values(lake) == ["at first", "later", "too late"]
    lake.dbt("--warn-error", *LAND)


def test_transactions(lake: Lake, topics: Topics) -> None:
    """What was aborted or is open does not land; offsets of markers are no records."""
    topics.create("orders")
    sender = topics.new_producer(transactional_id=topics.prefix)
    sender.initTransactions()
    for name, end in (("kept", sender.commitTransaction), ("gone", sender.abortTransaction)):
        sender.beginTransaction()
        topics.send("orders", name, producer=sender)
        end()
    sender.beginTransaction()
    topics.send("orders", "open", producer=sender)
    lake.dbt(*LAND)
    assert values(lake) == ["kept"]
    sender.commitTransaction()
    sender.close()
    lake.dbt(*LAND)
    assert values(lake) == ["kept", "open"]


def test_what_is_sent_meanwhile_proves_nothing(
    lake: Lake, topics: Topics, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cases 70, 71: a heartbeat counts when all was asked for after it could be seen."""
    topics.create("orders")
    topics.create("heartbeat")
    topics.send("heartbeat", "early")
    ends, asked = Broker.ends, []

    def meanwhile(self: Broker, names: Any) -> Any:
        found = ends(self, names)
        if not asked:
            topics.send("orders", "change")
            topics.send("heartbeat", "late")
        asked.append(found)
        return found

    monkeypatch.setattr(Broker, "ends", meanwhile)
    lake.dbt(*LAND)
    monkeypatch.setattr(Broker, "ends", ends)
    assert values(lake, "heartbeat") == ["early", "late"]

    assert proven(lake, topics) == 0
    lake.dbt(*LAND)
    assert proven(lake, topics) == 1


def test_bytes_that_are_no_text(lake: Lake, topics: Topics) -> None:
    """F13: they land as what no event looks like; a schema registry's format is refused."""
    topics.create("orders")
    topics.send("orders", b"\xff\xfe", "text")
    lake.dbt(*LAND)
    assert values(lake) == ['{"base64":"//4="}', "text"]
    topics.send("orders", b"\x00\x00\x00\x00\x01\x02")
    said = messages(lake.dbt(*LAND, fails=True))
    assert "offset 2: the value is Avro" in said
    assert len(landed(lake)) == 2


@pytest.mark.parametrize(
    ("environment", "problem"),
    [
        ({BROKERS: ""}, f"{BROKERS} is set, and empty"),
        ({TOPICS: ""}, "LAKEMIRROR_TOPICS is ''"),
        ({TOPICS: "nothing[.].*"}, "no topic of 127.0.0.1"),
        ({TOPICS: "("}, "no regular expression"),
        ({"LAKEMIRROR_KAFKA_SECURITY_PROTOCOL": "SASL_SSL"}, "gave no answer"),
        ({"LAKEMIRROR_KAFKA_SECURITY_PROTOCOL": "NONE"}, "Invalid value NONE"),
        (
            {"LAKEMIRROR_KAFKA_SASL_MECHANISMS": "PLAIN"},
            "LAKEMIRROR_KAFKA_SASL_MECHANISMS is no setting of Kafka's; did you mean "
            "LAKEMIRROR_KAFKA_SASL_MECHANISM?",
        ),
    ],
)
def test_a_configuration_that_cannot_be(
    lake: Lake, topics: Topics, monkeypatch: pytest.MonkeyPatch, environment: dict, problem: str
) -> None:
    """F51: one line says what to set; no password is in it."""
    monkeypatch.setenv("LAKEMIRROR_KAFKA_SASL_JAAS_CONFIG", "")
    if BROKERS not in environment:
        monkeypatch.setenv("LAKEMIRROR_KAFKA_DEFAULT_API_TIMEOUT_MS", "2000")
        monkeypatch.setenv("LAKEMIRROR_KAFKA_REQUEST_TIMEOUT_MS", "1000")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    said = messages(lake.dbt(*LAND, fails=True))
    assert problem in said
    assert "Traceback" not in said


def test_a_broker_that_is_not_there(
    lake: Lake, topics: Topics, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F51: the error names the address and its variable, and not the password."""
    address, secret = f"127.0.0.1:{free_port()}", "hunter2"
    monkeypatch.setenv(BROKERS, address)
    monkeypatch.setenv("LAKEMIRROR_KAFKA_SASL_JAAS_CONFIG", f"x password='{secret}';")
    monkeypatch.setenv("LAKEMIRROR_KAFKA_DEFAULT_API_TIMEOUT_MS", "2000")
    monkeypatch.setenv("LAKEMIRROR_KAFKA_REQUEST_TIMEOUT_MS", "1000")
    said = messages(lake.dbt(*LAND, fails=True))
    assert f"Kafka at {address} ({BROKERS}) gave no answer" in said
    logs = "".join(f.read_text("utf-8") for f in lake.folder.rglob("*.log"))
    assert secret not in said + logs
    with pytest.raises(KafkaError, match="gave no answer"):
        Broker(topics.session, {**topics.settings, "bootstrap.servers": address}).topic_names()
