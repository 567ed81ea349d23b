{# what has come since the bookmark from before the end of the last published day #}
{% macro find_late(raw, window, published) %}
    {%- if not published or window is none or window.start is none -%}
        {{ return({}) }}
    {%- endif -%}
    {%- set rows = run_query(late_events_sql(raw, window.clause, published | last)).rows -%}
    {{ return(dict(rows | map('list'))) }}
{% endmacro %}
