def test_the_newest_by_the_order_and_what_proves_it(macros, sql):
    assert sql(macros.newest_snapshot_sql("stage.s", ["id", "a`b"], True)) == sql("""
        with

        snapshots as (

            select
                _tx_log,
                _tx_epoch,
                _tx_rank,
                _tx_order,
                cast(min(_src_ts) as string) as _src_ts,
                coalesce(min(_src_ts) < max(min(_src_ts)) over (), false) as is_older,
                count(distinct `id`, `a``b`) as rows,
                count_if( `id` is null or `a``b` is null ) as keyless,
                bool_or(_src_snapshot in ('first', 'first_in_data_collection')) as is_begun,
                max(struct(_kfk_partition, _kfk_offset)) filter (
                    where _src_snapshot in ('last', 'last_in_data_collection')
                ) as end
            from stage.s
            group by _tx_log, _tx_epoch, _tx_rank, _tx_order

        )

        select
            to_json(
                struct(
                    * except (is_begun, end),
                    is_begun or rows = 1 as has_begin,
                    end is not null as has_end,
                    end._kfk_partition,
                    end._kfk_offset
                ),
                map('ignoreNullFields', 'false')
            ) as snapshot
        from snapshots
        order by _tx_epoch desc, _tx_rank desc, _tx_order desc, _tx_log
        limit 1
    """)


def test_one_row_of_a_log_that_has_lost_some_is_no_snapshot(macros, sql):
    assert "is_begun as has_begin" in sql(macros.newest_snapshot_sql("stage.s", ["id"], False))
