{% macro time_of_units(value, type) -%}
{{ epoch_micros(value, type.unit) }}
{%- endmacro %}
