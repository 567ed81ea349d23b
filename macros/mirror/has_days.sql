{# whether a daily table of this project is made of a mirror #}
{% macro has_days(mirror) %}
    {%- set daily = nodes_of('daily', none, 'has_days') -%}
    {{ return(mirror in daily | map(attribute='depends_on.nodes') | sum(start=[])) }}
{% endmacro %}
