{# offsets may have gaps, and a landing that died is not reported: so a partition is whole when it has as many
   records, and begins within the first landing. Runs that land at once report the same records: of a stretch of
   offsets that reports share, the run counts that has reported the most #}
{% macro lacking_sql(landing, raw_name, records) %}
    with

    reported as (

        select
            *,
            max(to_offset) over (
                partition by topic, partition
                order by from_offset, to_offset
                rows between unbounded preceding and 1 preceding
            ) as until_before
        from {{ landing }}
        where raw_table = {{ lakemirror_string(raw_name) }} and rows > 0

    ),

    placed as (

        select
            *,
            count_if(from_offset > until_before) over (
                partition by topic, partition
                order by from_offset, to_offset
            ) as stretch
        from reported

    ),

    by_run as (

        select
            topic,
            partition,
            stretch,
            sum(rows) as records,
            min(to_offset) as first_until
        from placed
        group by topic, partition, stretch, landed_at

    ),

    by_stretch as (

        select
            topic,
            partition,
            max(records) as records,
            min(first_until) as first_until
        from by_run
        group by topic, partition, stretch

    ),

    landed as (

        select
            topic,
            partition,
            sum(records) as records,
            min(first_until) as first_until
        from by_stretch
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
