{% macro is_sent(row, name) -%}
not coalesce(exists({{ row }}._unsent, unsent -> unsent.name = {{ name }}), false)
{%- endmacro %}
