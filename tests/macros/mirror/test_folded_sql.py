def test_one_row_per_key_and_one_per_record_that_cannot_be_folded(macros, sql):
    order = macros.key_columns(macros.order_columns())
    deleted = macros.key_columns(macros.order_columns(), "log")
    assert sql(macros.folded_sql("select * from stg", ["id", "day"], ["id", "v"])) == sql(f"""
        with

        judged as (
            select *, {macros.change_outcome(["id", "day"])} as _outcome
            from ( select * from stg )
        ),

        distributed as (
            select
                *,
                case
                    when _outcome = 'ignored' then cast(pmod(_kfk_offset, 200) as string)
                    when _outcome not in ('change', 'truncate')
                        then concat_ws(':', _kfk_partition, _kfk_offset)
                end as _apart
            from judged
            distribute by `id`, `day`, _apart
        ),

        compared as (
            select
                *,
                struct(
                    {macros.source_order("distributed")} as place,
                    xxhash64(_op, `id`, `v`) as content
                ) as _change
            from distributed
        ),

        ordered as (
            select
                *,
                lag(_change) over in_order as _before,
                row_number() over in_order = 1 as _is_newest
            from compared
            window in_order as (
                partition by `id`, `day`, _outcome, _apart, _tx_log
                order by
                    _tx_epoch desc, _tx_rank desc, _tx_order desc, _kfk_partition, _kfk_offset
            )
        ),

        counted as (
            select
                * except (_change, _before),
                collect_list( if(_is_newest, struct({order}, _op), null) ) over of_key as _logs,
                max(struct(_src_ts, _tx_log, _tx_epoch)) over of_key as _latest,
                count(*) over of_key as _events,
                count_if(_before is null or _before.place <> _change.place) over of_key as _orders,
                coalesce(bool_or(
                    _before.place = _change.place and _before.content <> _change.content
                ) over of_key, false) as _is_ambiguous
            from ordered
            window of_key as (partition by `id`, `day`, _outcome, _apart)
        )

        select
            * except (_is_newest, _logs, _latest),
            _latest._src_ts as _latest_src_ts,
            _latest._tx_log as _latest_log,
            _latest._tx_epoch as _latest_epoch,
            if(
                size(_logs) = 1, _tx_epoch, array_max(transform(_logs, log -> log._tx_epoch))
            ) as _tx_last_epoch,
            if(
                size(_logs) = 1, _tx_rank, array_max(transform(_logs, log -> log._tx_rank))
            ) as _tx_last_rank,
            if(
                size(_logs) = 1 and _op <> 'd',
                array(),
                transform(
                    filter(_logs, log -> log._op = 'd'),
                    log -> struct({deleted})
                )
            ) as _deletes,
            size(_deletes) as _delete_count
        from counted
        where
            _is_newest
            and (
                size(_logs) = 1
                or _tx_log <=> {macros.newest_change("_logs")}._tx_log
            )
    """)


def test_columns_are_filled_before_the_newest_row_stands(macros, sql):
    folded = sql(macros.folded_sql("select * from stg", ["id"], ["id", "v"], ["v"]))
    filled = macros.filled_sql("distributed", ["id", "_outcome", "_apart"], ["v"])
    assert f"filled as ( {sql(filled)} )" in folded
    assert f"{sql(macros.source_order('filled'))} as place" in folded
    assert "as _deletes from counted" not in folded


def test_where_a_full_snapshot_ends(macros, sql):
    """A newer change of its last row is folded over it."""
    plain = sql(macros.folded_sql("select * from stg", ["id"], ["id", "v"]))
    assert "_snapshot_end" not in plain
    told = sql(macros.folded_sql("select * from stg", ["id"], ["id", "v"], [], True))
    assert "_op = 'r' and _src_snapshot in ('last', 'last_in_data_collection')" in told
    assert "over of_key as _snapshot_end" in told
