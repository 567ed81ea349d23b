{% macro absent_tombstones_sql(tombstones, target, stage, unique_key, removal) %}
    insert into {{ tombstones }} ({{ key_columns(unique_key + order_columns()) }})
    select
        {{ key_columns(unique_key) }},
        {%- for column in order_columns() %}
        {{ removal.order[column] }} as {{ column }}{{ ',' if not loop.last }}
        {%- endfor %}
    from (
        {{ absent_rows_sql(target, stage, unique_key, removal.snapshot) | indent(8) }}
    )
{% endmacro %}
