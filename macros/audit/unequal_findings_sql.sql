{% macro unequal_findings_sql(rows, audit_id, limit) %}
    insert into {{ ops_table('audit_findings') }}
    select
        {{ lakemirror_string(audit_id) }} as audit_id,
        {{ lakemirror_string(rows.name) }} as model,
        kind,
        unique_key,
        '' as source_order,
        difference.column_name,
        difference.in_mirror,
        difference.by_log
    from (
        {{ unequal_sql(rows) | indent(8) }}
    )
    lateral view explode(differences) as difference
    order by unique_key, column_name
    limit {{ limit }}
{% endmacro %}
