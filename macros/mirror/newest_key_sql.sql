{# a Kafka tombstone has the key and no time: where records have a time, no value is read #}
{% macro newest_key_sql(records, known='_src_ts') %}
    select max_by(key, struct(_src_ts, _kfk_offset)) filter (where key is not null and {{ known }} is not null)
    from {{ records }}
{% endmacro %}
