{# which buckets a few changes fall in: of all of them, or a row that is there would seem new. None where
   they are all touched, or so many changes are that they will be #}
{% macro find_touched_buckets(stage, batch, settings) %}
    {%- if not settings.buckets or batch.window.records > 2 * settings.buckets -%}
        {{ return([]) }}
    {%- endif -%}
    {%- set found = run_query(touched_buckets_sql(stage, settings)).columns[0].values() -%}
    {{ return([] if found | length == settings.buckets else found | map('int') | list) }}
{% endmacro %}
