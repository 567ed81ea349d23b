{# every row of a key gets the newest values that any of them knows, back to the last delete, or the
   floor, that lies before it; _unsent says since when, where that is not the row's own order #}
{% macro filled_sql(rows, unique_key, columns, tombstones=none, floors=[]) %}
    {%- set partition = key_columns(unique_key) -%}
    with

    known as (

        select
            *,
            struct(
                {%- for name in columns %}
                struct(
                    {{ quoted(name) }} as value,
                    {{ known_at(rows, lakemirror_string(name)) | indent(20) }} as at
                ) as {{ quoted(name) }}{{ ',' if not loop.last }}
                {%- endfor %}
            ) as _known
        from {{ rows }}

    ),

    newest as (

        select
            *,
            struct(
                {%- for name in columns %}
                max_by(
                    _known.{{ quoted(name) }},
                    {{ change_order('_known.' ~ quoted(name) ~ '.at') | indent(20) }}
                ) over (partition by {{ partition }}) as {{ quoted(name) }}{{ ',' if not loop.last }}
                {%- endfor %}
            ) as _newest,
            collect_set(if(_op = 'd', struct({{ key_columns(order_columns()) }}), null))
                over (partition by {{ partition }}) as _deletes,
            array({{ floors | join(', ') }}) as _floors
        from known

    ),

    limited as (

        select
            newest.*,
            array_max(filter(
                concat(
                    transform(_deletes, row -> {{ source_order('row') }}),
                    {%- if tombstones %}
                    transform(
                        coalesce(remembered.deletes, array()), row -> {{ source_order('row') }}
                    ),
                    {%- endif %}
                    _floors
                ),
                limit -> limit < {{ source_order('newest') }}
            )) as _limit
        from newest
        {%- if tombstones %}
        left join (
            {{ remembered_sql(tombstones, unique_key) | indent(12) }}
        ) as remembered
            on {{ same_key('newest', 'remembered', unique_key) }}
        {%- endif %}

    ),

    kept as (

        select
            *,
            struct(
                {%- for name in columns %}
                {%- set newest = '_newest.' ~ quoted(name) %}
                if(
                    coalesce({{ source_order(newest ~ '.at') }} > _limit, true), {{ newest }}, null
                ) as {{ quoted(name) }}{{ ',' if not loop.last }}
                {%- endfor %}
            ) as _kept
        from limited

    ),

    filled as (

        select
            * except (_known, _newest, _floors, _limit, _kept, _unsent, {{ key_columns(columns) }}),
            {%- for name in columns %}
            _kept.{{ quoted(name) }}.value as {{ quoted(name) }},
            {%- endfor %}
            filter(
                transform(
                    array(
                        {%- for name in columns %}
                        struct({{ lakemirror_string(name) }} as name, _kept.{{ quoted(name) }}.at)
                        {{- ',' if not loop.last }}
                        {%- endfor %}
                    ),
                    column -> struct(
                        column.name,
                        column.at._tx_epoch,
                        column.at._tx_rank,
                        column.at._tx_order,
                        column.at._kfk_partition,
                        column.at._kfk_offset
                    )
                ),
                known -> {{ source_order('known') }} <> {{ source_order('kept') }}
            ) as _unsent
        from kept

    )

    select * except (_unsent), if(size(_unsent) > 0, _unsent, null) as _unsent
    from filled
{% endmacro %}
