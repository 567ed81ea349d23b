{% macro mirror_groups_sql(relation, table, digits, summed) %}
    select
        substr(key_digest, 1, {{ digits }}) as key_group,
        count(*) as keys,
        cast(sum(cast(conv(substr(row_digest, 1, {{ summed }}), 16, 10) as decimal(20, 0))) as string) as total
    from (
        select
            md5({{ canonical_row(table.key) | indent(12) }}) as key_digest,
            md5({{ canonical_row(table.columns) | indent(12) }}) as row_digest
        from {{ relation }}
    )
    group by 1
{% endmacro %}
