{# which time it was that a column went: a statement that is delivered again has another offset #}
{% macro renewal(column) %}
    {%- set until = column.until -%}
    {%- set place = [until.file, until.pos] if until.file else [until.partition, until.offset] -%}
    {{ return([column.name, until.src_ts] + place) }}
{% endmacro %}
