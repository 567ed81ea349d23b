{% macro partition_clause(expressions) -%}
    {%- if expressions -%}
        partitioned by ({{ expressions | join(', ') }})
    {%- endif -%}
{%- endmacro %}
