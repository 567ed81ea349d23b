{% macro bit_of_boolean(value, conversion) -%}
case {{ value }} when true then '1' when false then '0' end
{%- endmacro %}
