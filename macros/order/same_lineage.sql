{# Vitess names a shard by its range of keys, first-last in hex; any other log holds every key. Rows of one
   log, which is most, need no text compared #}
{% macro same_lineage(left, right) -%}
(
    {{ left }} <=> {{ right }}
    or coalesce(
        {{ range_start(left) }} < {{ range_end(right) }}
        and {{ range_start(right) }} < {{ range_end(left) }},
        true
    )
)
{%- endmacro %}
