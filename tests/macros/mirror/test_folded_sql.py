def test_one_row_per_key_and_one_per_record_that_cannot_be_folded(macros, sql):
    deleted = macros.key_columns(macros.order_columns(), "row")
    assert sql(macros.folded_sql("select * from stg", ["id", "day"], ["id", "v"])) == sql(f"""
        with

        changes as ( select * from stg ),

        judged as (
            select *, {macros.change_outcome(["id", "day"])} as _outcome
            from changes
        ),

        distributed as (
            select
                *,
                case
                    when _outcome not in ('change', 'ignored', 'truncate')
                        then concat_ws(':', _kfk_partition, _kfk_offset)
                end as _apart
            from judged
            distribute by `id`, `day`
        ),

        by_order as (
            select
                `id`, `day`, _outcome, _apart, _tx_log,
                max_by(struct(*), struct(-_kfk_partition, -_kfk_offset)) as row,
                count(*) as _events,
                min(xxhash64(_op, `id`, `v`)) <> max(xxhash64(_op, `id`, `v`)) as _is_ambiguous
            from distributed
            group by `id`, `day`, _outcome, _apart, _tx_log, _tx_epoch, _tx_rank, _tx_order
        ),

        by_log as (
            select
                `id`, `day`, _outcome, _apart,
                max_by(row, {macros.change_order("row")}) as row,
                max(struct(row._src_ts, row._tx_log, row._tx_epoch)) as _latest,
                sum(_events) as _events,
                count(*) as _orders,
                bool_or(_is_ambiguous) as _is_ambiguous
            from by_order
            group by `id`, `day`, _outcome, _apart, _tx_log
        ),

        by_key as (
            select
                {macros.newest_change("collect_list(row)")} as row,
                transform(
                    filter(collect_list(row), row -> row._op = 'd'),
                    row -> struct({deleted})
                ) as _deletes,
                max(_latest) as _latest,
                sum(_events) as _events,
                sum(_orders) as _orders,
                bool_or(_is_ambiguous) as _is_ambiguous
            from by_log
            group by `id`, `day`, _outcome, _apart
        )

        select row.*, _deletes, _latest, _events, _orders, _is_ambiguous from by_key
    """)


def test_columns_are_filled_before_the_newest_row_stands(macros, sql):
    folded = sql(macros.folded_sql("select * from stg", ["id"], ["id", "v"], ["v"]))
    filled = macros.filled_sql("distributed", ["id"], ["v"], apart=["_outcome", "_apart"])
    assert f"filled as ( {sql(filled)} )" in folded
    assert "from filled group by" in folded
    assert "any_value(row._deletes) as _deletes" in folded
