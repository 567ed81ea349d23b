{# offsets may have gaps, and a landing that died is not reported: so a partition is whole when it has as many
   records, and begins within the first landing #}
{% macro lacking_sql(landing, raw_name, records) %}
    with

    landed as (

        select
            topic,
            partition,
            sum(rows) as records,
            min(to_offset) as first_until
        from {{ landing }}
        where raw_table = {{ lakemirror_string(raw_name) }} and rows > 0
        group by topic, partition

    ),

    held as (

        select
            _kfk_topic as topic,
            _kfk_partition as partition,
            count(*) as records,
            min(_kfk_offset) as first_offset
        from {{ records }}
        group by _kfk_topic, _kfk_partition

    )

    select
        landed.topic,
        landed.partition,
        landed.records as landed_records,
        coalesce(held.records, 0) as held_records
    from landed
    left join held on landed.topic = held.topic and landed.partition = held.partition
    where
        held.records is null
        or held.records < landed.records
        or held.first_offset > landed.first_until
    order by landed.topic, landed.partition
{% endmacro %}
