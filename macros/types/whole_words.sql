{# the hex digits of a value's bytes, filled up to words of 32 bits #}
{% macro whole_words(value) -%}
cast(ceil(length({{ value }}) / 4) * 8 as int)
{%- endmacro %}
