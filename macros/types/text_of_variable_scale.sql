{% macro text_of_variable_scale(value, type) -%}
{{ scaled_text(integer_text(value ~ '.value'), value ~ '.scale') }}
{%- endmacro %}
