{% macro late_events_sql(raw, clause, last_day) -%}
    select cast(cast(_src_ts as date) as string) as ds, count(*) as events
    from {{ adapter.records_sql(raw, clause) }}
    where _src_ts < timestamp '{{ end_of_day(last_day) }}'
    group by 1
{%- endmacro %}
