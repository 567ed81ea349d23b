"""What versions of a schema tell together. Cases 35, 55-57, 61, 65."""

import pytest

from lakemirror.source.versions import Ending, changed_key, ending, known_columns


def version(first, last, columns, key=("id",), origin="schema_change"):
    def place(second):
        return {
            "src_ts": f"2026-01-01T00:00:{second:02}Z",
            "topic": "t",
            "partition": 0,
            "offset": 0,
        }

    given = [
        {"name": name, "data_type": "int", "default": default} for name, default in columns.items()
    ]
    seen = {"first_seen": place(first), "last_seen": place(last)}
    return {"origin": origin, "columns": given, "key": list(key), **seen}


def names(versions):
    return {c["name"]: c["is_dropped"] for c in known_columns(versions)}


def test_a_dropped_column_comes_last():
    first = version(1, 1, {"id": None, "gone": None})
    second = version(2, 2, {"id": None, "n": None})
    assert names([second, first]) == {"id": False, "n": False, "gone": True}
    assert [*names([second, first])] == ["id", "n", "gone"]
    again = version(1, 3, {"id": None, "gone": None})
    assert names([second, again]) == {"id": False, "gone": False, "n": True}


def test_a_statement_goes_over_a_connect_schema():
    connect = version(9, 9, {"id": None, "other": None}, origin="connect_schema")
    nothing = version(9, 9, {}, origin="vitess_ddl")
    assert names([connect, version(1, 1, {"id": None}), nothing]) == {"id": False}
    assert names([connect, nothing]) == {"id": False, "other": False}
    assert names([]) == {}


def test_other_cases_of_a_name():
    versions = [version(n, n, {name: None}) for n, name in enumerate(["id", "Id", "ID"])]
    [column] = known_columns(versions)
    assert (column["name"], column["spellings"]) == ("ID", ["Id", "id"])


@pytest.mark.parametrize(
    ("versions", "default"),
    [
        ([version(1, 1, {"n": "1"})], None),  # nobody knows what was before
        ([version(1, 1, {}), version(2, 2, {"n": "1"})], None),  # it has no columns
        ([version(1, 1, {"id": None}), version(2, 2, {"n": "1"})], "1"),
        # a later default is for later rows
        ([version(1, 1, {"id": None}), version(2, 2, {"n": "1"}), version(3, 3, {"n": "2"})], "1"),
        # dropped, and added anew
        ([version(1, 3, {"id": None}), version(2, 2, {"n": "1"}), version(4, 4, {"n": "2"})], "2"),
        ([version(1, 3, {"id": None}), version(2, 4, {"n": "1"})], "1"),
    ],
)
def test_the_default_that_a_column_came_with(versions, default):
    column = next(c for c in known_columns(versions) if c["name"] == "n")
    assert (column["default"] if column["is_added"] else None) == default


def test_where_a_column_was_added():
    """G9: not where it was never missing, and not where there is one version a shard."""
    versions = [version(1, 1, {"id": None}), version(2, 3, {"id": None, "n": "1"})]
    added = {c["name"]: c["added"] for c in known_columns(versions)}
    assert added["id"] is None
    assert added["n"]["src_ts"] == "2026-01-01T00:00:02Z"
    sharded = {c["name"]: c["added"] for c in known_columns(versions, has_one_log=False)}
    assert sharded == {"id": None, "n": None}


def test_the_key_has_changed():
    versions = [version(1, 1, {"id": None}), version(2, 2, {"id": None}, key=("id", "part"))]
    assert changed_key(versions, ["ID"]) == ["id", "part"]
    assert changed_key(versions, ["part", "id"]) is None
    assert changed_key(versions, ["other"]) is None  # message.key.columns
    assert changed_key([], ["id"]) is None


def test_how_a_column_was_sent_before():
    kinds = ["int", "bigint", "bigint", "decimal(20,0)"]
    versions = [version(n, n, {"n": None}) for n in range(4)]
    for one, kind in zip(versions, kinds, strict=True):
        one["columns"][0]["data_type"] = kind
    [column] = known_columns(versions)
    assert [(old["data_type"], old["until"]["src_ts"][17:19]) for old in column["older"]] == [
        ("int", "01"),
        ("bigint", "03"),
    ]


def test_a_column_that_came_back_is_another_one():
    """Case 61: until the last statement without it, whatever its type is now."""
    with_n, without = version(1, 1, {"id": None, "n": None}), version(2, 3, {"id": None})
    again = version(4, 4, {"id": None, "n": "5"})
    again["columns"][1]["data_type"] = "varchar(9)"
    columns = {c["name"]: c for c in known_columns([with_n, without, again])}
    assert columns["id"]["older"] == []
    [other] = columns["n"]["older"]
    assert other["is_other"]
    assert [other[name]["src_ts"][17:19] for name in ("until", "since")] == ["03", "04"]
    same = version(1, 4, {"id": None, "n": None})  # the very same schema came back
    columns = {c["name"]: c for c in known_columns([same, without])}
    [other] = columns["n"]["older"]
    assert (other["until"]["src_ts"][17:19], other["since"]) == ("03", None)
    shards = {c["name"]: c for c in known_columns([same, without], has_one_log=False)}
    assert shards["n"]["older"] == []
    gone = {c["name"]: c for c in known_columns([with_n, without])}
    assert (gone["n"]["is_dropped"], gone["n"]["older"]) == (True, [])
    assert gone["n"]["gone"]["src_ts"][17:19] == "02"
    assert columns["n"]["gone"] is gone["id"]["gone"] is None
    before = version(1, 3, {"id": None})  # the table had been so before
    [*_, back] = known_columns([version(2, 2, {"id": None, "n": None}), before])
    assert (back["is_dropped"], back["gone"]) == (True, None)
    for one, name in ((same, "one"), (without, "two")):  # of two tables in one topic
        one["table_name"] = [name]
    assert [c["older"] for c in known_columns([same, without])] == [[], []]
    for one in (same, without):
        one["table_name"] = ["one"]
        one["origin"] = "connect_schema"  # of each event: behind the last one without it
    [other] = next(c["older"] for c in known_columns([same, without]) if c["name"] == "n")
    assert other["since"] == other["until"] | {"offset": other["until"]["offset"] + 1}


def renaming(first, last, columns, renamed):
    return version(first, last, columns) | {"renamed": renamed}


def spelled(versions):
    return {c["name"]: c["spellings"] for c in known_columns(versions)}


def test_a_renamed_column_is_the_same():
    """Case 57: older events have it under its former names, and it came with no default."""
    first = version(1, 1, {"id": None, "b": "1"})
    second = renaming(2, 2, {"id": None, "label": "1"}, {"label": "b"})
    third = renaming(3, 3, {"id": None, "title": "1"}, {"title": "label"})
    assert spelled([first, second, third]) == {"id": [], "title": ["label", "b"]}
    [_, title] = known_columns([third, first, second])
    assert (title["is_added"], title["is_dropped"], title["older"]) == (False, False, [])
    assert title["unclear"] is None
    dropped = version(4, 4, {"id": None})
    assert names([first, second, third, dropped]) == {"id": False, "title": True}


def test_a_column_that_takes_a_name_that_is_free():
    """RENAME COLUMN b TO label, a TO b, in two statements: b may mean either in an event."""
    versions = [
        version(1, 1, {"a": None, "b": None}),
        renaming(2, 2, {"a": None, "label": None}, {"label": "b"}),
        renaming(3, 3, {"b": None, "label": None}, {"b": "a"}),
    ]
    unclear = {c["name"]: c["unclear"] for c in known_columns(versions)}
    assert unclear == {"b": "a", "label": "b", "a": None}
    assert spelled(versions) == {"b": [], "label": [], "a": []}


def test_two_columns_exchange_their_names():
    columns = {"a": None, "b": None}
    versions = [version(1, 1, columns), renaming(2, 2, columns, {"a": "b", "b": "a"})]
    assert {c["name"]: c["unclear"] for c in known_columns(versions)} == {"a": "b", "b": "a"}


def gone(at, to=None):
    return version(at, at, {}) | {"former_name": to}


def test_a_table_that_ended():
    """Case 35: what no event tells, the statement does."""
    first = version(1, 1, {"id": None})
    assert ending([first]) is None
    assert ending([]) is None
    assert ending([first, gone(5)]) == Ending("dropped", None, "2026-01-01T00:00:05Z", False)
    assert ending([first, gone(5), version(7, 7, {"id": None})]).is_back
    assert ending([first, gone(5, ["shop", "new"])]).name == "shop.new"
    taken = version(5, 5, {"id": None}) | {"former_name": ["shop", "old"]}
    assert ending([taken]) == Ending("renamed from", "shop.old", "2026-01-01T00:00:05Z", False)


def test_a_copy_that_is_swapped_in_ends_nothing():
    """gh-ost, pt-osc: rename table t to t_old, t_copy to t."""
    first = version(1, 1, {"id": None})
    copy = version(5, 9, {"id": None, "n": None}) | {"former_name": ["shop", "t_copy"]}
    assert ending([first, gone(5, ["shop", "t_old"]), copy]) is None
