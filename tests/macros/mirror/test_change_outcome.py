def test_the_first_reason_stands(macros, sql):
    assert sql(macros.change_outcome(["id", "day"])) == sql("""
        case
            when _op in ('tombstone', 'm') then 'ignored'
            when _undecodable <> '' then concat('cannot be decoded: ', _undecodable)
            when coalesce(_op, '') not in ('c', 'u', 'd', 'r', 't') then 'unknown operation'
            when _op <> 't' and ( `id` is null or `day` is null ) then 'no key'
            when _tx_epoch is null or _tx_rank is null or _tx_order is null then 'no order'
            when _op = 't' and _tx_log like '%-%' then 'truncate of a part of the keys'
            when _op = 't' then 'truncate'
            else 'change'
        end
    """)


def test_a_comma_in_a_key_columns_name_is_no_separator(macros, sql):
    assert "( `a, b` is null or `c` is null ) then" in sql(macros.change_outcome(["a, b", "c"]))


def test_without_a_key_only_the_event_itself_counts(macros, sql):
    """Case 36: what is only appended needs neither key nor order."""
    assert sql(macros.change_outcome([])) == sql("""
        case
            when _op in ('tombstone', 'm') then 'ignored'
            when _undecodable <> '' then concat('cannot be decoded: ', _undecodable)
            when coalesce(_op, '') not in ('c', 'u', 'd', 'r', 't') then 'unknown operation'
            else 'change'
        end
    """)
