{# every problem of a log's configuration in one error, and its settings with their defaults #}
{% macro log_settings() %}
    {%- set by = config.get('partition_by', ['days(_src_ts)']) -%}
    {%- set by = [by] if by is string else by -%}
    {%- set problems = [] -%}
    {%- if by is mapping or by is not sequence or by | reject('string') | list -%}
        {%- do problems.append('partition_by: a list of expressions is expected, and not ' ~ by) -%}
    {%- endif -%}
    {%- set chosen = chosen_settings(config, {
        'on_bad_rows': ['quarantine', 'fail'],
        'on_type_conflict': ['fail', 'new_column'],
        'on_undeclared': ['wait', 'fail', 'warn'],
    }, problems) -%}
    {%- do refuse_settings(problems, model.name) -%}
    {%- set properties = mirror_properties('merge-on-read', 2, none) -%}
    {%- do properties.update(config.get('table_properties', {})) -%}
    {%- do chosen.update(partition_by=by, properties=properties) -%}
    {{ return(chosen) }}
{% endmacro %}
