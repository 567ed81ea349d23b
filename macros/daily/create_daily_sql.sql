{% macro create_daily_sql(relation, columns) %}
    create table if not exists {{ relation }} (
        {%- for column in columns %}
        {{ quoted(column.name) }} {{ column.data_type }},
        {%- endfor %}
        ds date
    )
    using iceberg
    partitioned by (ds)
    tblproperties ('write.parquet.compression-codec' = 'zstd', 'write.distribution-mode' = 'none')
{% endmacro %}
