{# a log has no stale or unguarded changes: what arrives late is appended late #}
{% macro log_counts_sql(stage, tells_undeclared=false) %}
    select
        {{ undeclared_names("_outcome = 'change' and not _is_known", tells_undeclared) }} as undeclared,
        coalesce(sum(_events), 0) as read,
        count_if(_outcome = 'change' and not _is_known) as applied,
        0 as stale,
        coalesce(sum(_events - int(not _is_known)) filter (where _outcome = 'change'), 0)
            as duplicate,
        coalesce(sum(_events) filter (where _outcome = 'ignored'), 0) as ignored,
        coalesce(sum(_events) filter (where _outcome not in ('change', 'ignored')), 0)
            as quarantined,
        count_if(_outcome = 'change' and _is_another) as others,
        0 as unguarded,
        cast(max(_src_ts) filter (where _outcome = 'change') as string) as max_src_ts
    from {{ stage }}
{% endmacro %}
