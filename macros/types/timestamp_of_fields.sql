{% macro timestamp_of_fields(value, type) -%}
timestamp_micros(
    unix_micros(cast({{ datetime_of_fields(value, type) }} as timestamp))
    - {{ value }}.offsetSeconds * 1000000
)
{%- endmacro %}
