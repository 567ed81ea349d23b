{% macro metadata_columns(columns=none) -%}
{%- set expressions = {
    '_src_name': 'event.source.name',
    '_src_db': "coalesce(nullif(event.source.db, ''), event.source.keyspace)",
    '_src_table': 'event.source.table',
    '_src_shard': 'event.source.shard',
    '_src_server_id': 'event.source.server_id',
    '_src_file': 'event.source.file',
    '_src_pos': 'event.source.pos',
    '_src_vgtid': 'event.source.vgtid',
    '_src_read_ts': 'timestamp_micros(try_multiply(event.ts_ms, 1000L))',
    '_tsc_id': 'event.transaction.id',
    '_tsc_total_order': 'event.transaction.total_order',
    '_tsc_data_collection_order': 'event.transaction.data_collection_order',
    '_kfk_topic': '_kfk_topic',
    '_kfk_timestamp': '_kfk_timestamp',
} -%}
if(value is null, 'tombstone', event.op) as _op,
_src_ts,
event.source.snapshot as _src_snapshot,
_kfk_partition,
_kfk_offset
{%- for column in (var('metadata_columns', ['_src_read_ts', '_tsc_id']) if columns is none else columns) -%}
    {%- if column not in expressions -%}
        {%- do exceptions.raise_compiler_error(
            'There is no metadata column ' ~ column ~ '. There are: ' ~ expressions | join(', ')
        ) -%}
    {%- endif -%}
    ,
{{ expressions[column] }} as {{ column }}
{%- endfor -%}
{%- endmacro %}
