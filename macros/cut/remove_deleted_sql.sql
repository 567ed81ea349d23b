{# what a resync has removed is told by no change #}
{% macro remove_deleted_sql(branch, tombstones, unique_key, time) %}
    merge into {{ branch }} as target
    using (
        select *, 'd' as _op
        from {{ tombstones }}
        where _src_ts < timestamp '{{ time }}'
    ) as tombstones
    on
        {{ same_key('target', 'tombstones', unique_key) }}
        and {{ is_newer('tombstones', 'target') }}
    when matched then delete
{% endmacro %}
