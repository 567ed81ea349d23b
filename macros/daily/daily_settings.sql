{% macro daily_settings(config, model_name) %}
    {%- set problems = [] -%}
    {%- set chosen = chosen_settings(config, {'late_events': ['restate', 'report']}, problems) -%}
    {%- do refuse_settings(problems, model_name) -%}
    {{ return(chosen) }}
{% endmacro %}
