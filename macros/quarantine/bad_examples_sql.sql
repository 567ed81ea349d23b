{% macro bad_examples_sql(stage, records) %}
    with

    reasons as (

        select
            _outcome as reason,
            count(*) as records,
            min(struct(_kfk_partition, _kfk_offset)) as place
        from {{ stage }}
        where _outcome not in ('change', 'ignored', 'truncate')
        group by _outcome
        order by records desc, reason
        limit 3

    )

    select
        reasons.reason,
        reasons.records,
        raw._kfk_topic,
        raw._kfk_partition,
        raw._kfk_offset,
        raw.value
    from reasons
    inner join {{ records }} as raw
        on
            reasons.place._kfk_partition = raw._kfk_partition
            and reasons.place._kfk_offset = raw._kfk_offset
    order by records desc, reason
{% endmacro %}
