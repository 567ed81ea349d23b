{% macro listed_rows_sql(stage, unique_key, snapshot) -%}
select distinct {{ key_columns(unique_key) }}
from {{ stage }} as stage
where
    stage._tx_log <=> {{ snapshot_log(snapshot) }}
    and {{ floor_condition('stage', '=', snapshot) }}
{%- endmacro %}
