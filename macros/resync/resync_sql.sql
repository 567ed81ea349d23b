{% macro resync_sql(target, stage, settings, removal) %}
    merge into {{ target }} as target
    using (
        {{ listed_rows_sql(stage, settings.key, removal.snapshot) | indent(8) }}
    ) as listed
    on {{ same_key('target', 'listed', settings.key) }}
    when not matched by source and {{ before_snapshot('target', removal.snapshot) | indent(4) }} then
    {%- if settings.deletes == 'hard' %} delete
    {%- else %} update set
        _op = 'd',
        _is_deleted = true,
        _deleted_at = {{ removal.order._src_ts }},
        {%- for column in order_columns() %}
        {{ column }} = {{ removal.order[column] }}{{ ',' if not loop.last }}
        {%- endfor %}
    {%- endif %}
{% endmacro %}
