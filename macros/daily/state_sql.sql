{# the mirror before midnight and the changes since, folded; remembered deletes and truncates hold #}
{% macro state_sql(before, floor, changes, tombstones, unique_key, columns, midnight) %}
{%- set filled = unsent_columns(columns, unique_key) -%}
{%- set states = 'filled' if filled else 'states' %}
(
    with

    judged as (

        select
            *,
            {{ change_outcome(unique_key) | indent(12) }} as _outcome
        from {{ changes }}

    ),

    states as (

        {% if before -%}
        {{ before | indent(8) }}
        union all
        {% endif -%}
        select
            {{ key_columns(columns) }},
            _outcome = 'change'
            and (_src_ts < timestamp '{{ midnight }}' or _src_ts is null) as is_before
        from judged

    ),

    truncates as (

        select
            max({{ source_order('judged') }}) filter (
                where _outcome = 'truncate' and _src_ts < timestamp '{{ midnight }}'
            ) as floor
        from judged

    ),

    {% if filled -%}
    before as (

        select * except (is_before) from states where is_before

    ),

    filled as (

        {{ filled_sql(
            'before',
            unique_key,
            filled,
            '(select * from ' ~ tombstones ~ " where _src_ts < timestamp '" ~ midnight ~ "')",
            ['(select floor from truncates)']
                + ([floor_order(floor)] if floor else [])
        ) | indent(8) }}

    ),

    {% endif -%}
    newest_by_log as (

        select
            max_by(
                struct({{ key_columns(columns) }}), {{ change_order(states) | indent(16) }}
            ) {{- ' filter (where is_before)' if not filled }} as row
        from {{ states }}
        group by {{ key_columns(unique_key) }}, _tx_log

    ),

    newest as (

        select {{ newest_change('collect_list(row)') | indent(12) }} as row
        from newest_by_log
        where row is not null
        group by {{ key_columns(unique_key, 'row') }}

    ),

    live as (

        select row.* from newest where row._op <> 'd'

    )

    select live.*
    from live
    left anti join (select *, 'd' as _op from {{ tombstones }}) as tombstones
        on
            {{ same_key('live', 'tombstones', unique_key) }}
            and {{ is_newer('tombstones', 'live') | indent(12) }}
            and tombstones._src_ts < timestamp '{{ midnight }}'
    left anti join truncates on {{ source_order('live') }} < truncates.floor
    where not {{ floor_condition('live', '<', floor) }}
)
{% endmacro %}
