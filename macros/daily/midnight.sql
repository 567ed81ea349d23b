{% macro midnight(mirror, changes, watermark) -%}
    {%- if not execute %}{% do ref('landing') %}{% endif -%}
    {{ mirror }} /* midnight({{ mirror }}, {{ changes }}, {{ watermark }}) */
{%- endmacro %}
