{# of a record with a value: a Kafka tombstone has the key and no time #}
{% macro newest_key_sql(records) %}
    select max_by(key, struct(_src_ts, _kfk_offset)) filter (where key is not null and value is not null)
    from {{ records }}
{% endmacro %}
