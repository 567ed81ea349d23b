{% macro quarantine_sql() %}
    create table if not exists ops.quarantine (
        quarantine_id string,
        model string,
        reason string,
        _kfk_topic string,
        _kfk_partition int,
        _kfk_offset bigint,
        key string,
        value string,
        quarantined_at timestamp
    ) using iceberg
    comment 'Input that could not be used, kept with the reason; append-only.'
    tblproperties ('write.merge.mode' = 'merge-on-read')
{% endmacro %}
