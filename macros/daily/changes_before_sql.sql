{% macro changes_before_sql(changes, time, base) -%}
select
    '{{ time }}' as time,
    {{ base }}L as base,
    count_if(
        _src_ts < timestamp '{{ time }}' or (_src_ts is null and _op is distinct from 'tombstone')
    ) as changes
from {{ changes }}
{%- endmacro %}
