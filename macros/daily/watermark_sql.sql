{# the shard that is furthest behind; one without a time holds up the source #}
{% macro watermark_sql(watermark) %}
    select
        count(*) as shards,
        cast(min(heard_from) as string) as heard_from,
        if(count(*) = count(complete_until), min(complete_until), null) as complete_until,
        concat_ws(', ', sort_array(collect_set(proof))) as proof
    from {{ watermark }}
{% endmacro %}
