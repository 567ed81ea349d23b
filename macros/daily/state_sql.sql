{# where nothing has come since its commit, it is that. Else the mirror before midnight and the changes since, folded; remembered deletes and truncates hold. Only
   keys that have changed are folded: a day costs by its changes, and one copy of the rest, if that is
   wanted too. The rest has outlived the deletes that the mirror knew then; of those since, a resync's alone
   are told by no change #}
{% macro state_sql(state, is_whole=true) %}
{%- set states = 'filled' if state.filled else 'states' -%}
{%- set keeps_rest = state.before and is_whole -%}
{%- set rest %}select {{ key_columns(state.columns) }} from mirrored where not _is_changed and _op <> 'd'{% endset %}
{%- if state.is_base -%}
(
    select {{ key_columns(state.columns) }}
    from (
        {{ state.before | indent(8) }}
    )
    where _op <> 'd'{{ ' and false' if not is_whole }}
)
{%- else %}
(
    with

    judged as (

        {{ timed_changes_sql(state.changes, state.key, state.time) | indent(8) }}

    ),

    {% if state.before -%}
    changed as (

        select distinct {{ key_columns(state.key) }}, true as _is_changed
        from judged
        where _outcome = 'change'

    ),

    mirrored as (

        select
            mirror.*,
            changed._is_changed is not null{{ ' or mirror._unsent is not null' if state.filled }} as _is_changed
        from (
            {{ state.before | indent(12) }}
        ) as mirror
        left join changed on {{ same_key('mirror', 'changed', state.key) }}

    ),

    {% endif -%}
    states as (

        {% if state.before -%}
        select * except (_is_changed) from mirrored where _is_changed
        union all
        {% endif -%}
        select
            {{ key_columns(state.columns) }},
            _outcome = 'change' as _is_before
        from judged

    ),

    truncates as (

        select
            max({{ source_order('judged') }}) filter (
                where _outcome = 'truncate' and _src_ts < timestamp '{{ state.time }}'
            ) as floor
        from judged

    ),

    {% if state.filled -%}
    before as (

        select * except (_is_before) from states where _is_before

    ),

    filled as (

        {{ filled_sql(
            'before',
            state.key,
            state.filled,
            '(select * from ' ~ state.deletes ~ " where _src_ts < timestamp '" ~ state.time ~ "')",
            ['(select floor from truncates)']
                + ([floor_order(state.floor)] if state.floor else [])
        ) | indent(8) }}

    ),

    {% endif -%}
    newest_by_log as (

        select
            max_by(
                struct({{ key_columns(state.columns) }}), {{ change_order(states) | indent(16) }}
            ) {{- ' filter (where _is_before)' if not state.filled }} as row
        from {{ states }}
        group by {{ key_columns(state.key) }}, _tx_log

    ),

    newest as (

        select {{ newest_change('collect_list(row)') | indent(12) }} as row
        from newest_by_log
        where row is not null
        group by {{ key_columns(state.key, 'row') }}

    ),

    live as (

        select row.* from newest where row._op <> 'd'
        {%- if keeps_rest and state.is_resynced %}
        union all
        {{ rest | indent(8) }}
        {%- endif %}

    ),

    remaining as (

        select live.*
        from live
        left anti join (select *, 'd' as _op from {{ state.deletes }}) as tombstones
            on
                {{ same_key('live', 'tombstones', state.key) }}
                and {{ is_newer('tombstones', 'live') | indent(16) }}
                and tombstones._src_ts < timestamp '{{ state.time }}'
        {%- if keeps_rest and not state.is_resynced %}
        union all
        {{ rest | indent(8) }}
        {%- endif %}

    )

    select remaining.*
    from remaining
    left anti join truncates on {{ source_order('remaining') }} < truncates.floor
    where not {{ floor_condition('remaining', '<', state.floor) }}
)
{%- endif %}
{% endmacro %}
