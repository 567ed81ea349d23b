{% macro partition_clause(partition_by) -%}
    {%- if partition_by -%}
        partitioned by ({{ partition_by | join(', ') }})
    {%- endif -%}
{%- endmacro %}
