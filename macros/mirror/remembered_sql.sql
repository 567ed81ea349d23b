{% macro remembered_sql(tombstones, unique_key) -%}
select
    {{ key_columns(unique_key) }},
    collect_list(struct(*, 'd' as _op)) as deletes
from {{ tombstones }}
group by {{ key_columns(unique_key) }}
{%- endmacro %}
