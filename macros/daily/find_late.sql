{# what has come since the bookmark from before the end of the last published day, by its day. Without a
   bookmark nobody knows what the published days have: all of them count as changed #}
{% macro find_late(raw, window, published) %}
    {%- if not published or window is none -%}
        {{ return({}) }}
    {%- elif window.start is none -%}
        {{ return({published | first: 0}) }}
    {%- endif -%}
    {%- set rows = run_query(late_events_sql(raw, window.clause, published | last)).rows -%}
    {{ return(dict(rows | map('list'))) }}
{% endmacro %}
