{% macro audit_findings_sql(changes, audit, limit) %}
    insert into {{ ops_table('audit_findings') }}
    select distinct
        {{ lakemirror_string(audit.id) }} as audit_id,
        {{ lakemirror_string(audit.model) }} as model,
        kind,
        to_json(struct(
            {%- for column in audit.key %}
            coalesce(mirror.{{ quoted(column) }}, log.{{ quoted(column) }}) as {{ quoted(column) }}{{ ',' if not loop.last }}
            {%- endfor %}
        )) as unique_key,
        concat_ws(
            ',',
            coalesce(log._tx_epoch, mirror._tx_epoch),
            coalesce(log._tx_rank, mirror._tx_rank),
            coalesce(log._tx_order, mirror._tx_order)
        ) as source_order,
        difference.column_name,
        difference.in_mirror,
        difference.by_log
    from (
        {{ compared_sql(changes, audit) | indent(8) }}
    )
    lateral view explode(differences) as difference
    where kind <> 'doubtful'
    order by unique_key, column_name
    limit {{ limit }}
{% endmacro %}
