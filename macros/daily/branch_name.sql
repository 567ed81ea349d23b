{% macro branch_name(day) %}
    {{ return('ds_' ~ day | replace('-', '_')) }}
{% endmacro %}
