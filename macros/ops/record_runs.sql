{# one commit a run of dbt, and none where nothing was new #}
{% macro record_runs(results) %}
    {%- if execute and flags.WHICH in ['run', 'build', 'retry'] -%}
        {%- do adapter.operate('record_runs', context, results=results) -%}
    {%- endif -%}
{% endmacro %}
