{# the records of keys in a raw table: those of a Kafka key that decodes to one or tells one, which tombstones and
   undecodable records have too, and those whose images tell one #}
{% macro erased_places_sql(raw, changes, keys, kinds) %}
    {%- set images = ['$.before', '$.after', '$.payload.before', '$.payload.after'] %}
    with

    decoded as (

        select
            _kfk_partition,
            _kfk_offset
        from (
            {{ changes | indent(12) }}
        )
        where {{ key_condition(keys, kinds) }}

    ),

    named as (

        select distinct {{ record_key('raw.key') }} as record_key
        from {{ raw }} as raw
        left join decoded
            on raw._kfk_partition = decoded._kfk_partition and raw._kfk_offset = decoded._kfk_offset
        where
            raw.key is not null
            and (
                decoded._kfk_offset is not null
                or {{ told_condition('raw.key', ['$', '$.payload'], keys) }}
            )

    )

    select
        raw._kfk_partition,
        raw._kfk_offset,
        named.record_key
    from {{ raw }} as raw
    left join named on {{ record_key('raw.key') }} = named.record_key
    where
        named.record_key is not null
        or {{ told_condition('raw.value', images, keys) }}
    union
    select
        _kfk_partition,
        _kfk_offset,
        cast(null as string) as record_key
    from decoded
{% endmacro %}
