{% macro absent_rows_sql(target, stage, unique_key, snapshot) -%}
select {{ key_columns(unique_key, 'target') }}
from {{ target }} as target
left anti join (
    {{ listed_rows_sql(stage, unique_key, snapshot) | indent(4) }}
) as listed
    on {{ same_key('target', 'listed', unique_key) }}
where
    {{ before_snapshot('target', snapshot) | indent(4) }}
{%- endmacro %}
