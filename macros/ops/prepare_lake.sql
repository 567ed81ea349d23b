{# what every run needs before its first model; other commands write nothing #}
{% macro prepare_lake() %}
    {%- if execute and flags.WHICH in ['run', 'build', 'retry'] -%}
        {%- do adapter.operate('prepare_lake', context) -%}
    {%- endif -%}
{% endmacro %}
