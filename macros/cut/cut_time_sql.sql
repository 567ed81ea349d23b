{# the shard that is furthest behind, of all the sources; one without a time holds them up #}
{% macro cut_time_sql(watermarks, source_names) %}
    select
        to_json(collect_set(source_name)) as source_names,
        cast(max(heard_from) as string) as heard_from,
        if(
            count(*) = count(complete_until), cast(min(complete_until) as string), null
        ) as complete_until
    from {{ watermarks }}
    where source_name in (
        {%- for name in source_names %}
        {{ lakemirror_string(name) }}{{ ',' if not loop.last }}
        {%- endfor %}
    )
{% endmacro %}
