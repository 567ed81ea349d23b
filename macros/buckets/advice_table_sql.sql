{% macro advice_table_sql() %}
    create table if not exists ops.bucket_advice (
        model string,
        live_rows bigint,
        size bigint,
        buckets int,
        bucket_by string,
        advised_buckets int,
        advised_bucket_by string,
        reason string,
        advised_at timestamp
    ) using iceberg
    comment 'The buckets that mirrors are configured with, and those that their sizes advise; append-only.'
{% endmacro %}
