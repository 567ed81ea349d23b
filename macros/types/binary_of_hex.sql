{% macro binary_of_hex(value, type) -%}
if(length({{ value }}) % 2 = 0, unhex({{ value }}), null)
{%- endmacro %}
