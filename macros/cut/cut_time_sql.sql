{# the shard that is furthest behind, of all the sources; one without a time holds them up #}
{% macro cut_time_sql(watermarks) %}
    select
        to_json(collect_set(watermark)) as watermarks,
        cast(max(heard_from) as string) as heard_from,
        if(
            count(*) = count(complete_until), cast(min(complete_until) as string), null
        ) as complete_until
    from (
        {%- for watermark in watermarks %}
        select
            {{ lakemirror_string(watermark) }} as watermark,
            heard_from,
            complete_until
        from {{ watermark }}
        {{- '\n        union all' if not loop.last }}
        {%- endfor %}
    )
{% endmacro %}
