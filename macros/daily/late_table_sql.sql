{% macro late_table_sql() %}
    create table if not exists ops.late_events (
        invocation_id string,
        model string,
        ds date,
        events bigint,
        decision string,
        rows_added bigint,
        rows_removed bigint,
        found_at timestamp
    ) using iceberg
    comment 'A row per published day and run that found changes from before its end; append-only.'
{% endmacro %}
