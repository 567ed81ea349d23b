{# a day follows the mirror, whatever has been decided there #}
{% macro plan_daily(target, columns, raw) %}
    {%- set there = columns_of_query('select * except (ds) from ' ~ target) -%}
    {{ return(adapter.plan_evolution(there, columns, [], {'on_type_conflict': 'string'}, raw)) }}
{% endmacro %}
