from dataclasses import replace

import pytest

from lakemirror.runs.audit import Audit

KINDS = {"id": "int", "v": "double", "_op": "string", "_tx_log": "string", "_tx_epoch": "bigint"}
PLACE = {"_tx_log": None, "_tx_epoch": 0, "_tx_rank": 7, "_tx_order": -1}


@pytest.fixture
def audit():
    tables = ("m version as of 1", "m__tombstones")
    return Audit("a1", "mirror_t", "mirror_t", *tables, ["id"], KINDS, KINDS, [], "hard", 3, 24)


def test_a_part_of_the_keys_is_compared(macros, sql, audit):
    counts = sql(macros.audit_counts_sql("changes", audit))
    assert counts.count("pmod(xxhash64(`id`), 24L) = 3L") == 2
    assert "from m version as of 1" in counts
    assert "m__tombstones" not in counts
    assert "pmod" not in macros.audit_counts_sql("changes", replace(audit, parts=1))
    only = sql(macros.audit_counts_sql("changes", replace(audit, only="'{\"id\":7}'")))
    assert "to_json(struct(`id`)) in ('{\"id\":7}')" in only


def test_what_may_be_lacking_is_not_judged(macros, sql, audit):
    counts = sql(macros.audit_counts_sql("changes", replace(audit, lacks=True)))
    assert "group by `id`" in counts
    assert "from m__tombstones" in counts


def test_logs_of_the_same_keys_are_compared(macros, sql, audit):
    counts = sql(macros.audit_counts_sql("changes", replace(audit, overlaps=[("-80", "80-")])))
    assert "one.row._tx_log <=> cast('-80' as string)" in counts
    assert "other.row._tx_log <=> cast('80-' as string)" in counts


def test_a_truncate_and_a_resync_hold(macros, sql, audit):
    held = replace(audit, floor=PLACE, removals=[PLACE])
    counts = sql(macros.audit_counts_sql("changes", held))
    assert "< struct( 0L as _tx_epoch, 7L as _tx_rank, -1L as _tx_order )" in counts
    assert "and _tx_order = -2L" in counts
    assert "_tx_log <=> cast(null as string)" in counts


def test_a_bit_of_a_number_counts(macros, sql, audit):
    found = sql(macros.audit_findings_sql("changes", audit, 10))
    assert "cast(mirror.`v` as string) is distinct from cast(log.`v` as string)" in found
    assert found.endswith("limit 10")


def test_the_newest_truncate_of_each_log(macros, sql):
    assert sql(macros.log_facts_sql("changes")).endswith("group by _tx_log")


def test_a_repair_takes_the_rows_of_the_log(macros, sql, audit):
    staged = sql(macros.repaired_rows_sql("stage.s", "changes", audit, ["id", "v", "gone"]))
    assert "coalesce(log.`id`, mirror.`id`) as `id`, log.`v` as `v`, mirror.`gone` as `gone`" in (
        staged
    )
    removed = sql(macros.remove_repaired_sql("m", "stage.s", ["id"]))
    assert removed.startswith("delete from m as target where exists")
    inserted = sql(macros.insert_repaired_sql("m", "stage.s", ["id", "v"]))
    assert inserted.startswith("insert into m (`id`, `v`) select `id`, `v`")


def test_the_keys_of_a_repair(macros, sql):
    assert "audit_id = 'a1' and model = 'mirror_t'" in sql(macros.keys_found_sql("a1", "mirror_t"))
    text = sql(macros.key_text_sql({"id": "7"}, {"id": "int"}))
    assert text == "select to_json(struct( cast('7' as int) as `id` )) as unique_key"


def test_columns_that_were_not_sent_are_of_all_logs(macros, sql, audit):
    filled = replace(audit, filled=["v"], overlaps=[("1", "2")])
    counts = sql(macros.audit_counts_sql("changes", filled))
    assert "known.`v`.value as `v`" in counts
    assert "group by `id`, _tx_log" not in counts
    assert "other.row" not in counts
