{# its commits tell days without a row, its partitions those whose commits have expired #}
{% macro published_days(relation) %}
    {%- if relation is none -%}
        {{ return([]) }}
    {%- endif -%}
    {{ return((adapter.committed_days(relation) + written_days(relation)) | unique | sort | list) }}
{% endmacro %}
