{% macro boolean_of_number(value, conversion) -%}
case {{ value }} when 0 then false when 1 then true end
{%- endmacro %}
