{# the newest change of a key by max_by, in each log that counts alone; of several logs, the newest of those that no
   other one of the same keys goes over. A column that was not sent has the newest value since the last delete; there all logs compare #}
{% macro log_rows_sql(changes, audit) %}
    {%- set place = 'struct(_tx_epoch, _tx_rank, _tx_order)' %}
    {%- set order = 'struct(_tx_epoch, _tx_rank, _tx_order, -_kfk_partition, -_kfk_offset)' %}
    with

    events as (

        {{ log_events_sql(changes, audit) | indent(8) }}

    ),
    {%- if audit.filled %}

    limited as (

        select
            *,
            max(if(_op = 'd' and {{ place }} < _newest, {{ place }}, null)) over of_key as _limit
        from (
            select
                *,
                max(if(_audit_usable, {{ place }}, null)) over (partition by {{ key_columns(audit.key) }}) as _newest
            from events
        )
        window of_key as (partition by {{ key_columns(audit.key) }})

    ),
    {%- endif %}

    newest as (

        select
            max_by(struct({{ key_columns(audit.kinds) }}), {{ order }}) filter (where _audit_usable) as row,
            {%- if audit.filled %}
            struct(
                {%- for name in audit.filled %}
                max_by(
                    struct(
                        {{ quoted(name) }} as value,
                        {{ lakemirror_string(name) }} as name,
                        _tx_epoch, _tx_rank, _tx_order, _kfk_partition, _kfk_offset
                    ),
                    {{ order }}
                ) filter (
                    where
                        _audit_usable
                        and not coalesce(array_contains(_audit_lacks, {{ lakemirror_string(name) }}), false)
                        and coalesce({{ place }} > _limit, true)
                        {%- if audit.floor %}
                        and {{ place }} > {{ floor_order(audit.floor) }}
                        {%- endif %}
                ) as {{ quoted(name) }}{{ ',' if not loop.last }}
                {%- endfor %}
            ) as known,
            {%- endif %}
            bool_or(_audit_doubtful) as is_doubtful
        from {{ 'limited' if audit.filled else 'events' }}
        group by {{ key_columns(audit.key) }}{{ ', _tx_log' if not audit.filled }}

    ),

    {% if audit.overlaps and not audit.filled -%}
    ordered as (

        select
            *,
            struct({{ key_columns(audit.key, 'row') }}) as key,
            struct(
                row._tx_epoch, row._tx_rank, row._tx_order, -row._kfk_partition, -row._kfk_offset
            ) as place
        from newest
        where row is not null

    ),

    winners as (

        select
            max_by(one.row, struct(one.row._src_ts, one.row._op <> 'd', one.place)) as row,
            bool_or(one.is_doubtful) as is_doubtful
        from ordered as one
        left anti join ordered as other
            on
                one.key = other.key
                and other.place > one.place
                and (
                    {%- for left, right in audit.overlaps %}
                    {{ 'or ' if not loop.first -}}
                    one.row._tx_log <=> {{ log_text(left) }} and other.row._tx_log <=> {{ log_text(right) }}
                    {%- endfor %}
                )
        group by one.key

    )
    {%- else -%}
    winners as (

        select
            {%- if audit.filled %}
            *
            {%- else %}
            row,
            is_doubtful
            {%- endif %}
        from newest
        where row is not null

    )
    {%- endif %}

    select
        {%- for name in audit.kinds %}
        {{ 'known.' ~ quoted(name) ~ '.value' if name in audit.filled else 'row.' ~ quoted(name) }} as {{ quoted(name) }},
        {%- endfor %}
        {%- if audit.deletes == 'soft' %}
        row._op = 'd' as _is_deleted,
        if(row._op = 'd', row._src_ts, null) as _deleted_at,
        {%- endif %}
        {%- if audit.filled %}
        nullif(
            filter(
                array(
                    {%- for name in audit.filled %}
                    struct(
                        {{ lakemirror_string(name) }} as name,
                        {%- for place in ['_tx_epoch', '_tx_rank', '_tx_order', '_kfk_partition', '_kfk_offset'] %}
                        known.{{ quoted(name) }}.{{ place }}{{ ',' if not loop.last }}
                        {%- endfor %}
                    ){{ ',' if not loop.last }}
                    {%- endfor %}
                ),
                known -> {{ source_order('known') }}
                    is distinct from {{ source_order('row') }}
            ),
            array()
        ) as _unsent,
        {%- endif %}
        is_doubtful as _audit_doubtful,
        {%- if audit.filled and audit.lacks %}
        {% for name in audit.filled -%}
        {{ 'or ' if not loop.first }}known.{{ quoted(name) }} is null
        {% endfor -%}
        as _audit_untold,
        {%- endif %}
        {{ 'true' if audit.deletes == 'soft' else "row._op <> 'd'" }}
        {%- if audit.floor %}
        and not {{ source_order('row') }} < {{ floor_order(audit.floor) }}
        {%- endif %} as _audit_live
    from winners
{% endmacro %}
