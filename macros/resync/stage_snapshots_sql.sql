{# incremental snapshots are read in pieces while changes stream: they list no table as a whole #}
{% macro stage_snapshots_sql(stage, changes, settings) %}
    create table {{ stage }}
    {{ stage_clause(settings) }}
    as
    select {{ key_columns(settings.key + order_columns() + ['_src_snapshot']) }}
    from (
        {{ changes | indent(8) }}
    )
    where
        _op = 'r'
        and _src_snapshot in (
            'true', 'first', 'first_in_data_collection', 'last_in_data_collection', 'last'
        )
        and _tx_epoch is not null
        and _tx_rank is not null
        and _tx_order is not null
{% endmacro %}
