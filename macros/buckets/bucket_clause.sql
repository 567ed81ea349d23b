{% macro bucket_clause(settings) -%}
    {{ partition_clause([bucket_key(settings.buckets, settings.bucket_by)] if settings.buckets) }}
{%- endmacro %}
