{% macro create_daily_sql(relation, columns) %}
    create table if not exists {{ relation }} (
        {{ column_definitions(columns) | indent(8) }},
        ds date
    )
    using iceberg
    partitioned by (ds)
    tblproperties ('write.parquet.compression-codec' = 'zstd', 'write.distribution-mode' = 'none')
{% endmacro %}
