{% macro transaction_findings_sql(lacking, audit_id, model, limit) %}
    insert into {{ ops_table('audit_findings') }}
    select
        {{ lakemirror_string(audit_id) }} as audit_id,
        {{ lakemirror_string(model) }} as model,
        'lost' as kind,
        to_json(struct(transaction_id as `transaction`, topic)) as unique_key,
        '' as source_order,
        'changes' as column_name,
        cast(landed as string) as in_mirror,
        cast(events as string) as by_log
    from ({{ lacking }})
    order by topic, transaction_id
    limit {{ limit }}
{% endmacro %}
