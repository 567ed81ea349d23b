{% macro days_of_sql(mirror, names, days, is_soft) -%}
    {%- for day in days %}
    select {{ key_columns(names) }}, date '{{ day['ds'] }}' as ds
    from {{ mirror }} version as of '{{ day['branch'] }}'
    {{- ' where not _is_deleted' if is_soft }}
    {{- '\n    union all' if not loop.last }}
    {%- else %}
    select *, cast(null as date) as ds from {{ mirror }} where false
    {%- endfor %}
{%- endmacro %}
