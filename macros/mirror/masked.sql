{# its columns are named: one that the mirror gets is not there until the next run, and masked then #}
{% macro masked(mirror) -%}
select
    {%- for column in adapter.masked_columns(mirror, this) %}
    {% if column.masked -%}
    cast(null as {{ column.masked }}) as {{ quoted(column.name) }}
    {%- else -%}
    {{ quoted(column.name) }}
    {%- endif %}{{ ',' if not loop.last }}
    {%- else %}
    *
    {%- endfor %}
from {{ mirror }}
{%- endmacro %}
