{% macro audit_counts_sql(changes, audit) %}
    select
        count(*) as keys,
        coalesce(sum(size(differences)) filter (where kind <> 'doubtful'), 0) as findings,
        count_if(kind = 'doubtful') as unjudged
    from (
        {{ compared_sql(changes, audit) | indent(8) }}
    )
{% endmacro %}
