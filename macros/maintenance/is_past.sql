{# a partition without a time is before every time to Iceberg: it is told apart #}
{% macro is_past(outlived) -%}
(
    (_src_ts is not null and _src_ts < timestamp '{{ outlived.until }}')
    or (_src_ts is null and _landed_at < timestamp '{{ outlived.landed_until }}')
)
{%- endmacro %}
