{# the batch's rows with what the mirror knows of them, and the mirror's rows with what a late change
   knows; a new TRUNCATE also takes values from rows that are newer than it #}
{% macro completed_sql(stage, target, tombstones, settings, columns, filled, floor, new_floor, updates, is_small=false) %}
    {%- set held = 'struct(' ~ key_columns(order_columns() + ['_op', '_unsent']) ~ ') as _held' %}
    with

    changes as (

        select {{ key_columns(columns) }} from {{ stage }} where _outcome = 'change'

    ),

    {% if target -%}
    mirrored as (

        select
            {%- for column in updated_columns(columns, updates) %}
            {{ column.expression }} as {{ quoted(column.name) }}{{ ',' if not loop.last }}
            {%- endfor %}
        from {{ target }}

    ),

    {% endif -%}
    states as (

        select *, null as _held from changes
        {%- if target %}
        union all
        select{{ ' /*+ broadcast(changes) */' if is_small }}
            *,
            {{ held }}
        from mirrored
        left semi join changes on {{ same_key('mirrored', 'changes', settings.key) }}
        {%- endif %}
        {%- if target and new_floor %}
        union all
        select{{ ' /*+ broadcast(changes) */' if is_small }}
            *,
            {{ held }}
        from mirrored
        left anti join changes on {{ same_key('mirrored', 'changes', settings.key) }}
        where
            not {{ floor_condition('mirrored', '<', new_floor) | indent(12) }}
            and exists(
                mirrored._unsent,
                unsent -> {{ floor_condition('unsent', '<', new_floor) | indent(16) }}
            )
        {%- endif %}

    ),

    filled as (

        {{ filled_sql(
            'states', settings.key, filled, tombstones, [floor_order(floor)] if floor else []
        ) | indent(8) }}

    ),

    newest as (

        select
            max_by(struct(*), {{ change_order('filled') | indent(12) }}) as row
            {%- if target %},
            first(_held, true) as held
            {%- endif %}
        from filled
        group by {{ key_columns(settings.key) }}

    )

    select
        {{ key_columns(columns, 'row') }},
        'change' as _outcome,
        {% if target -%}
        held is null
        or {{ is_newer('row', 'held') | indent(8) }}
        or row._unsent is distinct from held._unsent
        {%- else -%}
        true
        {%- endif %} as _is_applied
    from newest
{% endmacro %}
