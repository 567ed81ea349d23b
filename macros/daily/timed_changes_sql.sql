{# a copied row has no time, and counts as from before any. rand() is never below zero: it keeps the optimizer from
   writing the decoding of all columns into each filter of the outcome, which takes gigabytes for 200 columns #}
{% macro timed_changes_sql(changes, unique_key, time) -%}
select
    *,
    if(rand() >= 0, {{ change_outcome(unique_key) | indent(4) }}, null) as _outcome
from {{ changes }}
where _src_ts < timestamp '{{ time }}' or _src_ts is null
{%- endmacro %}
