{# before the materialization makes anything #}
{% macro refuse_resync(mode, existing, model_name) %}
    {%- set run = 'dbt run --select ' ~ model_name -%}
    {%- if mode is not none and mode not in ['dry_run', 'apply'] -%}
        {%- do exceptions.raise_compiler_error(
            model_name ~ ': the var resync is dry_run or apply, and not ' ~ mode ~ ': '
            ~ run ~ " --vars '{resync: dry_run}'"
        ) -%}
    {%- endif -%}
    {%- if mode and existing is none -%}
        {%- do exceptions.raise_compiler_error(
            model_name ~ ': there is no mirror to resync yet. Run the model first: ' ~ run
        ) -%}
    {%- endif -%}
{% endmacro %}
