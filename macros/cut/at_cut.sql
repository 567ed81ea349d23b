{% macro at_cut(mirror, changes, watermark) -%}
    {%- if not execute %}{% do ref('landing') %}{% endif -%}
    select 1 from {{ changes }} /* at_cut({{ mirror }}, {{ changes }}, {{ watermark }}) */
{%- endmacro %}
