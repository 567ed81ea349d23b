def test_one_row_per_key_and_one_per_record_that_cannot_be_folded(macros, sql):
    assert sql(macros.folded_sql("select * from stg", ["id", "day"])) == sql(f"""
        with

        changes as (

            select * from stg

        ),

        judged as (

            select
                *,
                {macros.change_outcome(["id", "day"])} as _outcome
            from changes

        ),

        folded as (

            select
                max_by(struct(*), {macros.change_order("judged")}) as newest,
                count(*) as _events,
                count(distinct struct(judged._tx_epoch, judged._tx_rank, judged._tx_order))
                    as _orders
            from judged
            group by
                `id`, `day`,
                _outcome,
                if(_outcome in ('change', 'ignored'), null, struct(_kfk_partition, _kfk_offset))

        )

        select newest.*, _events, _orders from folded
    """)
