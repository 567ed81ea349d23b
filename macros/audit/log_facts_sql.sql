{# few rows, whatever raw holds: what the rows of a log must be told before they are folded #}
{% macro log_facts_sql(changes) %}
    select
        _tx_log,
        to_json(max(struct(_tx_epoch, _tx_rank, _tx_order)) filter (
            where
                _op = 't'
                and coalesce(_tx_log, '') not like '%-%'
                and {{ is_placed() | indent(16) }}
        )) as truncated
    from (
        {{ changes | indent(8) }}
    )
    group by _tx_log
{% endmacro %}
