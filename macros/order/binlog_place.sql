{% macro binlog_place(file, position) -%}
{{ binlog_file_number(file) }} * 4294967296 + {{ position }}
{%- endmacro %}
