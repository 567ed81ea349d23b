{% macro changed_counts_sql(touched) %}
    select
        changes,
        floor._tx_epoch,
        floor._tx_rank,
        floor._tx_order
    from (
        select
            count_if(_outcome = 'change') as changes,
            max(_latest) filter (where _outcome = 'truncate') as floor
        from {{ touched }}
    )
{% endmacro %}
