{# what staging reads of records that no connector has sent #}
{% macro made_rows_sql(changes, table) %}
    select
        {{ canonical_texts(table.key) | indent(8) }} as key_texts,
        {{ canonical_texts(table.columns) | indent(8) }} as row_texts,
        coalesce(_undecodable, '') as undecodable,
        _tx_log,
        _tx_epoch,
        _tx_rank,
        _tx_order,
        _kfk_offset
    from (
        {{ changes | indent(8) }}
    )
{% endmacro %}
