{% macro number_of_bits(value, type) -%}
try_cast(conv(concat('0', {{ bytes_in_order(value, type.bytes) }}), 16, 10) as {{ type.lake }})
{%- endmacro %}
