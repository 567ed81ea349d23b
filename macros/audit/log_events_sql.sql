{# what can be used and lies in the quarantine, and what cannot and does not, is yet to be merged: nobody knows
   what the mirror is to have of its key #}
{% macro log_events_sql(changes, audit) %}
    with

    decoded as (

        select
            {%- for name, kind in audit.kinds.items() %}
            cast({{ quoted(name) }} as {{ kind }}) as {{ quoted(name) }},
            {%- endfor %}
            {%- if audit.filled %}
            transform(_unsent, unsent -> unsent.name) as _audit_lacks,
            {%- endif %}
            coalesce(_op, '') in ('c', 'u', 'r', 'd')
            and {{ is_placed() | indent(12) }} as _audit_usable
        from (
            {{ changes | indent(12) }}
        )
        where
            coalesce(_op, '') not in ('tombstone', 'm', 't')
            {%- for column in audit.key %}
            and {{ quoted(column) }} is not null
            {%- endfor %}

    )

    select
        decoded.*,
        coalesce(_audit_usable = (kept._kfk_offset is not null), false) as _audit_doubtful
    from decoded
    left join (
        select distinct _kfk_partition, _kfk_offset
        from {{ ops_table('quarantine') }}
        where model = {{ lakemirror_string(audit.reader) }} and settled_as is distinct from 'taken in'
    ) as kept
        on
            decoded._kfk_partition = kept._kfk_partition
            and decoded._kfk_offset = kept._kfk_offset
    where {{ is_in_part(audit) }}
    {%- for removal in audit.removals %}
    union all
    select
        {%- for name, kind in audit.kinds.items() %}
        {% if name in audit.removed -%}
        {{ quoted(name) }}
        {%- elif name == '_op' -%}
        'd' as _op
        {%- else -%}
        cast(null as {{ kind }}) as {{ quoted(name) }}
        {%- endif %},
        {%- endfor %}
        {%- if audit.filled %}
        cast(null as array<string>) as _audit_lacks,
        {%- endif %}
        true as _audit_usable,
        {{ 'true' if audit.deletes == 'soft' else 'false' }} as _audit_doubtful
    from {{ audit.tombstones }}
    where
        {{ is_in_part(audit) }}
        and _tx_log <=> {{ log_text(removal._tx_log) }}
        and _tx_epoch = {{ removal._tx_epoch }}L
        and _tx_rank = {{ removal._tx_rank }}L
        and _tx_order = {{ removal._tx_order - 1 }}L
    {%- endfor %}
{% endmacro %}
