{% macro date_text(value) -%}
format_string(
    if({{ value }}.year < 0, '%05d-%02d-%02d', '%04d-%02d-%02d'),
    {{ value }}.year, {{ value }}.month, {{ value }}.day
)
{%- endmacro %}
