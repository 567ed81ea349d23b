def test_one_row_per_key_and_one_per_record_that_cannot_be_folded(macros, sql):
    order = sql(macros.source_order("judged"))
    deleted = macros.key_columns(macros.order_columns(), "row")
    assert sql(macros.folded_sql("select * from stg", ["id", "day"], ["id", "v"])) == sql(f"""
        with

        changes as ( select * from stg ),

        judged as (
            select *, {macros.change_outcome(["id", "day"])} as _outcome
            from changes
        ),

        folded_by_log as (
            select
                max_by(struct(*), {macros.change_order("judged")}) as row,
                max(struct(_src_ts, _tx_log, _tx_epoch)) as _latest,
                count(*) as _events,
                count(distinct {order}) as _orders,
                count(distinct {order}, _op, xxhash64(`id`, `v`) ) as _contents
            from judged
            group by `id`, `day`, _tx_log, _outcome, {macros.fold_apart()}
        ),

        folded as (
            select
                {macros.newest_change("collect_list(row)")} as row,
                transform(
                    filter(collect_list(row), row -> row._op = 'd'),
                    row -> struct({deleted})
                ) as _deletes,
                max(_latest) as _latest,
                sum(_events) as _events,
                sum(_orders) as _orders,
                sum(_contents) as _contents
            from folded_by_log
            group by row.`id`, row.`day`, row._outcome, {macros.fold_apart("row.")}
        )

        select row.*, _deletes, _latest, _events, _orders, _contents from folded
    """)
