{% macro whole_words(value) -%}
cast(ceil(length({{ value }}) / 4) * 8 as int)
{%- endmacro %}
