{% macro lacking_transactions_sql(ended, tables, first, last) %}
    select ended.topic, ended.transaction_id, ended.events, coalesce(landed.events, 0) as landed
    from ({{ ended }}) as ended
    left join (
        select topic, transaction_id, count(distinct place) as events
        from (
            {%- for table in tables %}
            select
                _kfk_topic as topic,
                {{ transaction_id("get_json_object(body, '$.transaction.id')") }} as transaction_id,
                cast(get_json_object(body, '$.transaction.total_order') as bigint) as place
            from (
                select *, coalesce(get_json_object(value, '$.payload'), value) as body
                from {{ table }}
                {%- if first is not none %}
                where
                    _kfk_timestamp is null
                    or _kfk_timestamp between
                        timestamp_micros({{ first }}) - interval 1 day
                        and timestamp_micros({{ last }}) + interval 1 day
                {%- endif %}
            )
            {{- ' union all' if not loop.last }}
            {%- endfor %}
        )
        where transaction_id is not null
        group by topic, transaction_id
    ) as landed
        on ended.topic = landed.topic and ended.transaction_id = landed.transaction_id
    where ended.events > coalesce(landed.events, 0)
{% endmacro %}
