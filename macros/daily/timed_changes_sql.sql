{# a copied row has no time, and counts as from before any #}
{% macro timed_changes_sql(changes, unique_key, time) -%}
select
    *,
    {{ change_outcome(unique_key) | indent(4) }} as _outcome,
    _src_ts < timestamp '{{ time }}' or _src_ts is null as _is_before
from {{ changes }}
{%- endmacro %}
