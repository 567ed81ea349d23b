{# keys of which a row of the source lives whose newest change is not the key's own newest one: the
   record's key tells the rows apart #}
{% macro shared_keys_sql(changes, target, records, unique_key) %}
    {%- set columns = key_columns(unique_key + order_columns() + ['_op']) %}
    with

    changed as (

        select {{ columns }}
        from (
            {{ changes | indent(12) }}
        )
        where {{ change_outcome(unique_key) | indent(12) }} = 'change'

    ),

    held as (

        select {{ columns }}
        from changed
        {%- if target %}
        union all
        select {{ columns }}
        from {{ target }} as target
        left semi join changed on {{ same_key('target', 'changed', unique_key) }}
        {%- endif %}

    ),

    newest as (

        select
            {{ key_columns(unique_key, 'held') }},
            raw.key as record_key,
            max({{ source_order('held') }}) as place,
            max_by(held._op, {{ source_order('held') }}) as _op
        from held
        inner join {{ records }} as raw
            on
                held._kfk_partition = raw._kfk_partition
                and held._kfk_offset = raw._kfk_offset
        group by {{ key_columns(unique_key, 'held') }}, raw.key

    ),

    of_key as (

        select
            {{ key_columns(unique_key) }},
            sort_array(collect_list(record_key)) as record_keys,
            max(place) as newest_place,
            min(place) filter (where _op <> 'd') as oldest_live_place
        from newest
        group by {{ key_columns(unique_key) }}

    )

    select
        to_json(struct({{ key_columns(unique_key) }})) as shared_key,
        to_json(slice(record_keys, 1, 3)) as record_keys
    from of_key
    where oldest_live_place < newest_place
    order by shared_key
    limit 1
{% endmacro %}
