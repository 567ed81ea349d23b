{# a DELETE of whole files would not carry the horizon in its commit #}
{% macro prune_sql(tombstones, horizon) %}
    merge into {{ tombstones }} as tombstones
    using (select timestamp '{{ horizon }}' as pruned_until) as horizon
    on tombstones._src_ts < horizon.pruned_until
    when matched then delete
{% endmacro %}
