{# Vitess puts the shard before the collection's name; a topic's name has _ for what is no part of one. An END that is
   below what a landing has proven follows all changes of its transaction. A connector that starts again may send it again #}
{% macro ended_transactions_sql(transactions, landing, since) %}
    select topic, transaction_id, sum(events) as events, min(ended_at) as ended_at
    from (
        select
            concat(
                regexp_replace(ended._kfk_topic, '[.][^.]+$', ''),
                '.',
                regexp_replace(
                    if(is_vitess, regexp_replace(data_collection, '^[^.]+[.]', ''), data_collection),
                    '[^A-Za-z0-9._-]',
                    '_'
                )
            ) as topic,
            data_collection,
            ended.transaction_id,
            max(event_count) as events,
            min(ended._kfk_timestamp) as ended_at
        from (
            select
                *,
                {{ transaction_id("get_json_object(body, '$.id')") }} as transaction_id,
                startswith(get_json_object(body, '$.id'), '[') as is_vitess,
                from_json(
                    get_json_object(body, '$.data_collections'),
                    'array<struct<data_collection: string, event_count: bigint>>'
                ) as collections
            from (
                select *, coalesce(get_json_object(value, '$.payload'), value) as body
                from {{ transactions }}
            )
            where
                get_json_object(body, '$.status') = 'END'
                {%- if since %}
                and _landed_at >= timestamp_micros({{ since }})
                {%- endif %}
        ) as ended
        join (
            select topic, partition, max(proven_offset) as proven_offset
            from {{ landing }}
            group by topic, partition
        ) as read
            on
                ended._kfk_topic = read.topic
                and ended._kfk_partition = read.partition
                and ended._kfk_offset <= read.proven_offset
        lateral view inline(collections) as data_collection, event_count
        group by all
    )
    group by topic, transaction_id
{% endmacro %}
