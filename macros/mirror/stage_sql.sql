{% macro stage_sql(stage, changes, settings, payload, filled=[]) %}
    create table {{ stage }}
    using iceberg
    {{ bucket_clause(settings.buckets, settings.bucket_by) }}
    tblproperties (
        'write.distribution-mode' = '{{ 'hash' if settings.buckets else 'none' }}',
        'write.parquet.compression-codec' = 'zstd'
    )
    as
    {{ folded_sql(changes, settings.key, payload, filled) }}
{% endmacro %}
