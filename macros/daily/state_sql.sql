{# the mirror before midnight and the changes since, folded; remembered deletes and truncates hold. Only
   keys that have changed are folded: a day costs by its changes, and one copy of the rest, if that is
   wanted too #}
{% macro state_sql(before, floor, changes, tombstones, unique_key, columns, midnight, is_whole=true) %}
{%- set filled = unsent_columns(columns, unique_key) -%}
{%- set states = 'filled' if filled else 'states' %}
(
    with

    judged as (

        {{ timed_changes_sql(changes, unique_key, midnight) | indent(8) }}

    ),

    {% if before -%}
    changed as (

        select distinct {{ key_columns(unique_key) }}, true as _is_changed
        from judged
        where _outcome = 'change' and _is_before

    ),

    mirrored as (

        select
            mirror.*,
            changed._is_changed is not null{{ ' or mirror._unsent is not null' if filled }} as _is_changed
        from (
            {{ before | indent(12) }}
        ) as mirror
        left join changed on {{ same_key('mirror', 'changed', unique_key) }}

    ),

    {% endif -%}
    states as (

        {% if before -%}
        select * except (_is_changed) from mirrored where _is_changed
        union all
        {% endif -%}
        select
            {{ key_columns(columns) }},
            _outcome = 'change' and _is_before as _is_before
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

        select * except (_is_before) from states where _is_before

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
            ) {{- ' filter (where _is_before)' if not filled }} as row
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
        {%- if before and is_whole %}
        union all
        select {{ key_columns(columns) }} from mirrored where not _is_changed and _op <> 'd'
        {%- endif %}

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
