{# the mirror before midnight and the changes since, folded; deletes that the mirror remembers stay #}
{% macro state_sql(mirror, base, changes, tombstones, unique_key, columns, midnight) %}
(
    with

    states as (

        {% if base -%}
        select {{ key_columns(columns) }} from {{ mirror }} version as of {{ base.id }}
        union all
        {% endif -%}
        select {{ key_columns(columns) }}
        from {{ changes }}
        where
            {{ change_outcome(unique_key) | indent(12) }} = 'change'
            and _src_ts < timestamp '{{ midnight }}'

    ),

    newest as (

        select max_by(struct(*), {{ change_order('states') | indent(12) }}) as row
        from states
        group by {{ key_columns(unique_key) }}

    ),

    live as (

        select row.* from newest where row._op <> 'd'

    )

    select live.*
    from live
    left anti join {{ tombstones }} as tombstones
        on
            {{ same_key('live', 'tombstones', unique_key) }}
            and {{ source_order('tombstones') }} > {{ source_order('live') }}
            and tombstones._src_ts < timestamp '{{ midnight }}'
)
{% endmacro %}
