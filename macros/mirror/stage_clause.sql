{# a batch is dropped as soon as it is merged: a dictionary of many values costs more than it saves #}
{% macro stage_clause(settings) -%}
    using iceberg
    {{ bucket_clause(settings) }}
    tblproperties (
        'write.distribution-mode' = '{{ 'hash' if settings.buckets else 'none' }}',
        'write.parquet.compression-codec' = 'zstd',
        'write.parquet.dict-size-bytes' = '4096'
    )
{%- endmacro %}
