{# its commits tell days without a row, its partitions those whose commits have expired #}
{% macro published_days(relation) %}
    {%- if relation is none -%}
        {{ return([]) }}
    {%- endif -%}
    {%- set partitions = run_query(
        'select cast(partition.ds as string) as ds from ' ~ relation ~ '.partitions'
    ).columns['ds'].values() -%}
    {{ return((adapter.committed_days(relation) + partitions | list) | unique | sort | list) }}
{% endmacro %}
