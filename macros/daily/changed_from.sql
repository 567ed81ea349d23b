{# the earliest source time in a window of raw #}
{% macro changed_from(raw, window) %}
    {%- if window is not none and window.start is not none -%}
        {{ return(run_query(
            'select min(_src_ts) as changed_from from ' ~ adapter.records_sql(raw, window.clause)
        ).rows[0]['changed_from']) }}
    {%- endif -%}
    {{ return(none) }}
{% endmacro %}
