{% macro daily_settings(config, model_name) %}
    {%- set problems = [] -%}
    {%- set chosen = chosen_settings(config, {
        'late_events': ['restate', 'report'], 'publish': ['copy', 'branch'],
    }, problems) -%}
    {%- set keep_days = config.get('keep_days', none) -%}
    {%- if keep_days is not none and (keep_days is not integer or keep_days < 1) -%}
        {%- do problems.append('keep_days: a number of days from 1 is expected, and not ' ~ keep_days) -%}
    {%- endif -%}
    {%- do refuse_settings(problems, model_name) -%}
    {{ return(dict(chosen, keep_days=keep_days)) }}
{% endmacro %}
