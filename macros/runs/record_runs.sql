{# one commit a run of dbt, and none where nothing was new #}
{% macro record_runs(results) %}
    {%- if execute and flags.WHICH in ['run', 'build', 'retry'] -%}
        {%- set rows = [] -%}
        {%- for result in results if result.node.config.materialized in ['mirror', 'log', 'daily', 'cut'] -%}
            {%- set did = fromjson(result.adapter_response.get('code') or '{}') -%}
            {%- if did or result.status != 'success' -%}
                {%- do rows.append(run_values(result, did)) -%}
            {%- endif -%}
        {%- endfor -%}
        {%- if rows -%}
            {%- do run_query('insert into ops.runs values ' ~ rows | join(', ')) -%}
        {%- endif -%}
    {%- endif -%}
{% endmacro %}
