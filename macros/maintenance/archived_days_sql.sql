{% macro archived_days_sql(raw, outlived) %}
    select distinct cast(cast(coalesce(_src_ts, _landed_at) as date) as string) as ds
    from {{ raw }}
    where
        {{ is_past(outlived) | indent(8) }}
    order by ds
{% endmacro %}
