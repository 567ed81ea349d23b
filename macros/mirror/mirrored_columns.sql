{# what a mirror keeps of its query's columns #}
{% macro mirrored_columns(columns) %}
    {%- set others = ['_undecodable', '_undeclared', '_src_snapshot'] -%}
    {{ return(columns | rejectattr('name', 'in', others) | list) }}
{% endmacro %}
