{% macro resync_sql(target, stage, settings, snapshot) %}
    {%- set order = removal_order(snapshot) %}
    merge into {{ target }} as target
    using (
        {{ listed_rows_sql(stage, settings.key, snapshot) | indent(8) }}
    ) as listed
    on {{ same_key('target', 'listed', settings.key) }}
    when not matched by source and {{ before_snapshot('target', snapshot) | indent(4) }} then
    {%- if settings.deletes == 'hard' %} delete
    {%- else %} update set
        _op = 'd',
        _is_deleted = true,
        _deleted_at = {{ order._src_ts }},
        {%- for column in order_columns() %}
        {{ column }} = {{ order[column] }}{{ ',' if not loop.last }}
        {%- endfor %}
    {%- endif %}
{% endmacro %}
