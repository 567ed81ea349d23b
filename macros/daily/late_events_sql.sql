{% macro late_events_sql(records, until) -%}
    select cast(cast(_src_ts as date) as string) as ds, count(*) as events
    from {{ records }}
    where _src_ts < timestamp '{{ until }}'
    group by 1
{%- endmacro %}
