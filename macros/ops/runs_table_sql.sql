{% macro runs_table_sql() %}
    create table if not exists ops.runs (
        invocation_id string,
        model string,
        status string,
        message string,
        started_at timestamp,
        seconds double,
        merged_by string,
        read bigint,
        applied bigint,
        stale bigint,
        duplicate bigint,
        ignored bigint,
        quarantined bigint
    ) using iceberg
    comment 'A row per run of a mirror, a log or a daily table that did something or failed; append-only.'
{% endmacro %}
