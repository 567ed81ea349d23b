{# of a row that left one shard and came to another within a second, the arrival stands #}
{% macro time_order(row) -%}
struct({{ row }}._src_ts, {{ row }}._op <> 'd', {{ change_order(row) }})
{%- endmacro %}
