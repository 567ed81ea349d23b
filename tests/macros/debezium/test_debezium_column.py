import pytest

COLUMN = {"name": "n", "data_type": "int", "former": ["old"]}


@pytest.fixture
def column(macros):
    macros.columns = [COLUMN | {"default": {"lake": "int", "text": "7"}}]
    return macros.declared()[0]


def test_a_former_name_is_read_as_well(macros, sql, column):
    """Cases 57, 62."""
    assert sql(macros.source_value(column)) == "coalesce( image.`n`, image.`old` )"
    assert macros.source_fields(column) == "`n`: int, `old`: int"
    assert macros.source_fields(column | {"former": ["N"]}) == "`n`: int"


def test_another_case_is_read_once_more(macros, sql, column):
    """Case 65: from_json tells them apart, and a struct does not."""
    text = sql(macros.source_value(column | {"former": ["N"]}))
    other = sql(macros.value_in_other_case("N", "int"))
    assert text == f"coalesce( image.`n`, {other} )"
    assert "'struct<before: struct<`N`: int>, after: struct<`N`: int>>'" in other


def test_an_event_without_the_column_has_the_default(macros, sql, column):
    """Case 55: and a null is a null."""
    absent = sql(macros.is_absent(["n", "old"]))
    assert sql(macros.debezium_column(column)) == (
        f"coalesce( coalesce( image.`n`, image.`old` ), if( {absent}, cast('7' as int), null ) )"
    )
    assert absent.startswith("not exists( json_object_keys(get_json_object(")
    assert absent.endswith("name -> name in ( 'n', 'old' ) )")
    assert macros.debezium_column(column | {"default": None, "former": []}) == "image.`n`"


UNTIL = {"src_ts": "2026-01-01", "file": None, "pos": None, "partition": 1, "offset": 9}
BEFORE = (
    "_src_ts < timestamp '2026-01-01' or ( _src_ts = timestamp '2026-01-01' "
    "and _kfk_partition = 1 and _kfk_offset < 9 )"
)


def test_the_place_in_the_binlog_decides(macros, sql):
    """Of one server always, since an ALTER has the time when it began; else within its second."""
    until = UNTIL | {"server_id": 3, "file": "a'b.000010", "pos": 7}
    there = macros.binlog_place(macros.lakemirror_string(until["file"]), 7)
    assert sql(macros.is_before(UNTIL)) == BEFORE
    for log, place, is_row in (
        ("cast(event.source.server_id as string)", macros.event_place(), False),
        ("_tx_log", "_tx_rank", True),
    ):
        assert sql(macros.is_before(until, is_row)) == sql(
            f"if( {log} = '3', {place} < {there}, _src_ts < timestamp '2026-01-01' or ( "
            f"_src_ts < timestamp '2026-01-01' + interval 1 second and {place} < {there} ) )"
        )


def test_an_expression_for_events_of_each_age(macros, sql):
    def shown(old):
        return old["name"] if old else "new"

    older = [{"name": "first", "until": UNTIL | {"offset": 5}}, {"name": "then", "until": UNTIL}]
    first = BEFORE.replace("< 9", "< 5")
    assert sql(macros.by_age({"older": older}, caller=shown)) == (
        f"case when {first} then first when {BEFORE} then then else new end"
    )
    assert macros.by_age({"older": []}, caller=shown) == "new"


def test_older_events_are_decoded_as_they_were_sent(macros, sql):
    """Case 62: milliseconds until then, and microseconds since."""
    old, new = macros.type("datetime(3)"), macros.type("datetime(6)")
    column = {"name": "n", "type": new}
    column["older"] = [{"until": UNTIL, "is_lost": False, "type": old}]
    assert sql(macros.decoded_value("v", column)) == sql(
        f"case when {BEFORE} then try_cast({macros.decoded('v', old)} as "
        f"timestamp_ntz) else {macros.decoded('v', new)} end"
    )
    assert sql(macros.is_lost_value("v", column)) == sql(
        f"case when {BEFORE} then {macros.is_lost('typed.`n`', 'v', old)} "
        f"else {macros.is_lost('typed.`n`', 'v', new)} end"
    )
    wide, wider = macros.type("decimal(5,2)"), macros.type("decimal(5,3)")
    column["type"] = wider
    column["older"] = [{"until": UNTIL, "is_lost": False, "type": wide}]
    lost = sql(macros.is_lost_value("v", column))
    assert "then typed.`n` is null and v is not null else" in lost
    plain = {"name": "n", "type": new, "older": []}
    assert macros.decoded_value("v", plain) == macros.decoded("v", new)
    assert macros.is_lost_value("v", plain) == macros.is_lost("typed.`n`", "v", new)


def test_older_events_of_another_type_are_read_once_more(macros, sql):
    """Case 58: where no cast gives the database's value, it is lost; a null is none of both."""
    old, new = macros.type("int"), macros.type("decimal(20,4)")
    entry = {"until": UNTIL, "is_lost": False, "type": old}
    column = {"name": "n", "former": [], "type": new, "older": [entry]}
    read = sql(macros.older_value("v", column, entry))
    assert read == f"coalesce( {sql(macros.value_in_other_case('n', 'int'))} )"
    before = f"case when {BEFORE} then"
    assert sql(macros.decoded_value("v", column)).startswith(
        f"{before} try_cast({read} as decimal(20,4)) else"
    )
    assert sql(macros.is_unread("v", column)) == f"{before} {read} is null else v is null end"
    whole = "try_parse_json(event_text) is not null"
    assert f"if(({BEFORE}) and {whole}, null, 'the event')" in sql(macros.unread([column]))
    assert whole not in macros.unread([column | {"older": []}])
    column["older"] = [entry | {"is_lost": True}]
    assert sql(macros.decoded_value("v", column)).startswith(f"{before} null else")
    assert sql(macros.is_lost_value("v", column)).startswith(f"{before} {read} is not null else")


def test_a_former_column_of_the_name_is_not_read(macros, sql):
    """Case 61: its rows got the default of the one that came after it."""
    new = macros.type("int")
    column = {"name": "n", "former": [], "type": new, "unavailable": [], "connector": "mariadb"}
    column["conversion"] = None
    column["older"] = [{"until": UNTIL, "is_lost": False, "type": None}]
    column["default"] = {"lake": "int", "text": "7"}
    value = sql(macros.debezium_column(column))
    assert value.startswith(f"coalesce( case when {BEFORE} then null else image.`n` end, if(")
    assert value.endswith(f"or {BEFORE}, cast('7' as int), null ) )")
    assert f"case when {BEFORE} then false else" in sql(macros.is_lost_value("image.`n`", column))
    assert f"case when {BEFORE} then false else" in sql(macros.is_unread("image.`n`", column))
