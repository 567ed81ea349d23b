{% macro binlog_file_number(file) -%}
try_cast(regexp_extract({{ file }}, '([0-9]{1,9})[^0-9]*$', 1) as bigint)
{%- endmacro %}
