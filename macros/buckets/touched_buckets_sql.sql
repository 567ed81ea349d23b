{% macro touched_buckets_sql(stage, settings) %}
    select distinct {{ bucket_of('stage', settings) }} as bucket
    from {{ stage }} as stage
    where _outcome = 'change'
    order by bucket
{% endmacro %}
