{# near the ends of a bigint are the connector's -infinity and infinity #}
{% macro datetime_of_units(value, type) -%}
if(
    {{ value }} > -9223372036000000000 and {{ value }} < 9223372036000000000,
    cast(timestamp_micros({{ time_of_units(value, type) }}) as timestamp_ntz),
    null
)
{%- endmacro %}
