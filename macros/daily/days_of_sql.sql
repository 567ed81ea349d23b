{% macro days_of_sql(mirror, names, days) -%}
    {%- for day in days %}
    select {{ key_columns(names) }}, date '{{ day['ds'] }}' as ds
    from {{ mirror }} version as of '{{ day['branch'] }}'
    {{- '\n    union all' if not loop.last }}
    {%- else %}
    select *, cast(null as date) as ds from {{ mirror }} where false
    {%- endfor %}
{%- endmacro %}
