{# the batch's rows with what the mirror knows of them, and the mirror's rows with what a late change
   knows; a new TRUNCATE also takes values from rows that are newer than it #}
{% macro completed_sql(changes, known, shape, place, is_cached=false) %}
    {%- set held = 'struct(' ~ key_columns(order_columns() + ['_op', '_unsent']) ~ ') as _held' %}
    with

    changes as (

        select {{ key_columns(shape.columns) }} from {{ changes }} where _outcome = 'change'

    ),

    {% if known.rows -%}
    mirrored as (

        select
            {%- for column in known.columns %}
            {{ column.expression }} as {{ quoted(column.name) }}{{ ',' if not loop.last }}
            {%- endfor %}
        from {{ known.rows }}

    ),

    {% endif -%}
    states as (

        select *, null as _held from changes
        {%- if known.rows %}
        union all
        select{{ ' /*+ broadcast(changes) */' if is_cached }}
            *,
            {{ held }}
        from mirrored
        left semi join changes on {{ same_key('mirrored', 'changes', shape.key) }}
        {%- endif %}
        {%- if known.rows and place.new_floor %}
        union all
        select{{ ' /*+ broadcast(changes) */' if is_cached }}
            *,
            {{ held }}
        from mirrored
        left anti join changes on {{ same_key('mirrored', 'changes', shape.key) }}
        where
            not {{ floor_condition('mirrored', '<', place.new_floor) | indent(12) }}
            and exists(
                mirrored._unsent,
                unsent -> {{ floor_condition('unsent', '<', place.new_floor) | indent(16) }}
            )
        {%- endif %}

    ),

    filled as (

        {{ filled_sql(
            'states', shape.key, shape.filled, known.deletes,
            [floor_order(place.floor)] if place.floor else []
        ) | indent(8) }}

    ),

    newest as (

        select
            max_by(struct(*), {{ change_order('filled') | indent(12) }}) as row
            {%- if known.rows %},
            first(_held, true) as held
            {%- endif %}
        from filled
        group by {{ key_columns(shape.key) }}

    )

    select
        {{ key_columns(shape.columns, 'row') }},
        'change' as _outcome,
        {% if known.rows -%}
        held is null
        or {{ is_newer('row', 'held') | indent(8) }}
        or row._unsent is distinct from held._unsent
        {%- else -%}
        true
        {%- endif %} as _is_applied
    from newest
{% endmacro %}
