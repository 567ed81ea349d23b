import pytest

from lakemirror.runs.compare import Compared

TYPES = {
    "id": "text",
    "price": "decimal(9,2)",
    "at": "timestamp",
    "on": "date",
    "tags": "array<int>",
}


@pytest.fixture
def rows():
    tolerances = {"price": "0.01", "at": "1", "on": "2"}
    return Compared("a and b", "marts.a", "marts.b", ["id"], TYPES, tolerances)


def test_keys_of_two_types_are_texts(macros, sql, rows):
    text = sql(macros.unequal_sql(rows))
    assert "from marts.a" in text
    assert "from marts.b" in text
    assert (
        "cast(first_rows.`id` as string) is distinct from cast(second_rows.`id` as string)" in text
    )
    assert "coalesce(cast(mirror.`id` as string), cast(log.`id` as string)) as `id`" in text
    assert "to_json(struct(mirror.`tags` as value), map(" in text


def test_a_tolerance_has_the_unit_of_its_type(macros, sql, rows):
    text = sql(macros.unequal_sql(rows))
    assert "coalesce(abs(try_subtract(mirror.`price`, log.`price`)) > 0.01, true)" in text
    assert "coalesce(abs(datediff(mirror.`on`, log.`on`)) > 2, true)" in text
    assert "- unix_micros(cast(log.`at` as timestamp))) / 1e6 > 1, true)" in text


def test_what_is_kept_and_counted(macros, sql, rows):
    assert "count_if(kind is null) as equal" in sql(macros.unequal_counts_sql(rows))
    kept = sql(macros.unequal_findings_sql(rows, "a1", 7))
    assert "'a and b' as model" in kept
    assert kept.endswith("limit 7")
