{% macro bytes_in_order(value, order) -%}
{%- if order == 'little' -%}
    array_join(reverse(regexp_extract_all(hex({{ value }}), '..', 0)), '')
{%- else -%}
    hex({{ value }})
{%- endif -%}
{%- endmacro %}
