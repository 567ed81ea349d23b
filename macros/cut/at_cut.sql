{# a mirror that a cut is made of, with the staging model of its changes #}
{% macro at_cut(mirror, changes) -%}
    {%- if not execute %}{% do ref('watermarks') %}{% do ref('landing') %}{% endif -%}
    select 1 from {{ changes }} /* at_cut({{ mirror }}, {{ changes }}) */
{%- endmacro %}
