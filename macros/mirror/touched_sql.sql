{% macro touched_sql(relation, stage, unique_key) -%}
(
    select /*+ broadcast(stage) */ touched.*
    from {{ relation }} as touched
    left semi join {{ stage }} as stage on {{ same_key('touched', 'stage', unique_key) }}
)
{%- endmacro %}
