{% macro stage_sql(stage, changes, unique_key, buckets, bucket_by) %}
    create table {{ stage }}
    using iceberg
    {{ bucket_clause(buckets, bucket_by) }}
    tblproperties (
        'write.distribution-mode' = '{{ 'hash' if buckets else 'none' }}',
        'write.parquet.compression-codec' = 'zstd'
    )
    as
    {{ folded_sql(changes, unique_key) }}
{% endmacro %}
