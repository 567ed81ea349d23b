{% macro bucket_clause(buckets, bucket_by) -%}
    {%- if buckets -%}
        partitioned by ({{ bucket_key(buckets, bucket_by) }})
    {%- endif -%}
{%- endmacro %}
