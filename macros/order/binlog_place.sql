{% macro binlog_place(file, position) -%}
try_cast(regexp_extract({{ file }}, '([0-9]{1,9})[^0-9]*$', 1) as bigint) * 4294967296 + {{ position }}
{%- endmacro %}
