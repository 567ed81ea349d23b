{% macro stage_clause(settings) -%}
    using iceberg
    {{ bucket_clause(settings.buckets, settings.bucket_by) }}
    tblproperties (
        'write.distribution-mode' = '{{ 'hash' if settings.buckets else 'none' }}',
        'write.parquet.compression-codec' = 'zstd'
    )
{%- endmacro %}
