{# whether a daily table of this project is made of a mirror #}
{% macro has_days(mirror) %}
    {%- set daily = graph.nodes.values() | selectattr('config.materialized', 'equalto', 'daily') -%}
    {{ return(mirror in daily | map(attribute='depends_on.nodes') | sum(start=[])) }}
{% endmacro %}
