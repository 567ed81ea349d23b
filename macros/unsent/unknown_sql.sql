{# live rows with a column that no change has told #}
{% macro unknown_sql(rows) %}
    select count(*) as unknown
    from {{ rows }}
    where _op <> 'd' and exists(_unsent, unsent -> unsent._tx_epoch is null)
{% endmacro %}
