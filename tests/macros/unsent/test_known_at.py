def test_an_entry_or_the_rows_own_place(macros, sql):
    assert sql(macros.known_at("row", "'big'")) == sql("""
        coalesce(
            get(filter(row._unsent, known -> known.name = 'big'), 0),
            struct(
                'big' as name, row._tx_epoch, row._tx_rank, row._tx_order,
                row._kfk_partition, row._kfk_offset
            )
        )
    """)
