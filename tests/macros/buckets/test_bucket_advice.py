from types import SimpleNamespace

from lakemirror.state.ops_tables import BUCKET_ADVICE


def test_what_is_asked_of_a_mirror(macros, sql):
    facts = sql(macros.key_facts_sql("mirror.t", ["id", "a`b"]))
    assert facts == (
        "select count(*) as live_rows, "
        "approx_count_distinct(`id`) as key_1, approx_count_distinct(`a``b`) as key_2 "
        "from mirror.t"
    )
    assert sql(macros.bucket_facts_sql("mirror.t", ["id", "a`b"])) == (
        "select *, (select sum(file_size_in_bytes) from mirror.t.data_files) as size "
        f"from ( {facts} )"
    )


def test_a_row_of_advice(macros, sql):
    advice = SimpleNamespace(buckets=None, bucket_by="it's", reason="small")
    settings = SimpleNamespace(buckets=4, bucket_by="id")
    row = sql(macros.advice_values("m", settings, {"live_rows": 0, "size": None}, advice))
    assert row == (r"( 'm', 0, 0, 4, 'id', null, 'it\'s', 'small', current_timestamp() )")
    assert row.count(",") + 1 == len(BUCKET_ADVICE.columns)
