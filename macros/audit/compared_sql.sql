{# where raw may lack records, the log proves less: a row that it does not know may be older than raw, and a value that
   was not sent may have been before. There, and where the history that tells of resyncs is cut, a row that a
   remembered delete outdates may have been deleted #}
{% macro compared_sql(changes, audit) %}
    {%- set may_lack = audit.lacks or audit.is_cut %}
    with

    log_rows as (

        {{ log_rows_sql(changes, audit) | indent(8) }}

    ),

    mirror_rows as (

        select *
        from (
            select
                *,
                count(*) over (partition by {{ key_columns(audit.key) }}) as _audit_copies,
                row_number() over (
                    partition by {{ key_columns(audit.key) }} order by _tx_epoch, _tx_rank, _tx_order
                ) as _audit_copy
            from {{ audit.mirror }}
            where {{ is_in_part(audit) }}
        )
        where _audit_copy = 1

    ),
    {%- if may_lack %}

    deleted as (

        select
            {{ key_columns(audit.key) }},
            max(struct(_tx_epoch, _tx_rank, _tx_order)) as place
        from {{ audit.tombstones }}
        group by {{ key_columns(audit.key) }}

    ),
    {%- endif %}

    paired as (

        select
            struct(mirror_rows.*) as mirror,
            struct(log_rows.*) as log,
            mirror_rows._audit_copies is not null as is_there,
            coalesce(log_rows._audit_live, false) as is_live,
            coalesce(log_rows._audit_doubtful, false) as is_doubtful
            {%- if may_lack %},
            deleted.place as deleted
            {%- endif %}
        from log_rows
        full outer join mirror_rows on
            {%- for column in audit.key %}
            {{ 'and ' if not loop.first }}log_rows.{{ quoted(column) }} = mirror_rows.{{ quoted(column) }}
            {%- endfor %}
        {%- if may_lack %}
        left join deleted on
            {%- for column in audit.key %}
            {{ 'and ' if not loop.first }}log_rows.{{ quoted(column) }} = deleted.{{ quoted(column) }}
            {%- endfor %}
        {%- endif %}

    ),

    judged as (

        select
            *,
            case
                when is_doubtful then 'doubtful'
                {%- if audit.lacks %}
                when is_there and log._audit_live is null then 'doubtful'
                when is_there and {{ source_order('mirror') }} > {{ source_order('log') }} then 'doubtful'
                {%- endif %}
                {%- if may_lack %}
                when is_live and not is_there and deleted >= {{ source_order('log') }} then 'doubtful'
                {%- if audit.pruned_until %}
                when
                    is_live
                    and not is_there
                    and coalesce(log._src_ts < timestamp '{{ audit.pruned_until }}', true)
                    then 'doubtful'
                {%- endif %}
                {%- endif %}
                when is_live and not is_there then 'lost'
                when is_there and not is_live then 'added'
                when mirror._audit_copies > 1 then 'doubled'
                {%- if audit.filled and audit.lacks %}
                when log._audit_untold and {{ any_unlike(audit) }} then 'doubtful'
                {%- endif %}
                when {{ any_unlike(audit) }} then 'changed'
            end as kind
        from paired

    )

    select
        *,
        {{ differences(audit, "if(is_live, '1 row', 'no row')") | indent(8) }} as differences
    from judged
    where is_there or is_live or is_doubtful
{% endmacro %}
