{# the rows that a batch has something newer of; their new rows are inserted #}
{% macro remove_replaced_sql(target, stage, settings, is_judged, touched, join) %}
    delete from {{ target }} as target
    where ({{ key_columns(settings.key, 'target') }}) in (
        select /*+ {{ join }}(changes) */ {{ key_columns(settings.key, 'changes') }}
        from {{ stage }} as changes
        where _outcome = 'change'{{ ' and _is_applied' if is_judged }}
    )
    {{- in_buckets('target', settings, touched) }}
{% endmacro %}
