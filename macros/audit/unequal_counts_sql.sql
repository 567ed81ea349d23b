{% macro unequal_counts_sql(rows) %}
    select
        count(*) as keys,
        count_if(kind is null) as equal,
        coalesce(sum(size(differences)) filter (where kind is not null), 0) as findings
    from (
        {{ unequal_sql(rows) | indent(8) }}
    )
{% endmacro %}
