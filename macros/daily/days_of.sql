{% macro days_of(daily, mirror) -%}
    {%- set found = adapter.days_as_branches(daily, mirror) if execute else {'names': [], 'days': []} -%}
    {%- for day in found.days %}
    select {{ key_columns(found.names) }}, date '{{ day['ds'] }}' as ds
    from {{ mirror }} version as of '{{ day['branch'] }}'
    {{- '\n    union all' if not loop.last }}
    {%- else %}
    select *, cast(null as date) as ds from {{ mirror }} where false
    {%- endfor %}
{%- endmacro %}
