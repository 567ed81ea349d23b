{# every problem of a log's configuration in one error, and its settings with their defaults #}
{% macro log_settings() %}
    {%- set by = config.get('partition_by', ['days(_src_ts)']) -%}
    {%- set by = [by] if by is string else by -%}
    {%- set bad_rows = config.get('on_bad_rows', 'quarantine') -%}
    {%- set own = config.get('table_properties', {}) -%}
    {%- set problems = [] -%}
    {%- if by is mapping or by is not sequence or by | reject('string') | list -%}
        {%- do problems.append('partition_by: a list of expressions is expected, and not ' ~ by) -%}
    {%- endif -%}
    {%- if bad_rows not in ['quarantine', 'fail'] -%}
        {%- do problems.append(
            'on_bad_rows: quarantine or fail is expected, and not ' ~ bad_rows
        ) -%}
    {%- endif -%}
    {%- if own is not mapping -%}
        {%- do problems.append('table_properties: a mapping is expected') -%}
    {%- endif -%}
    {%- do refuse_settings(problems, model.name) -%}
    {%- set properties = mirror_properties('merge-on-read', 2, none) -%}
    {%- do properties.update(own) -%}
    {{ return({'partition_by': by, 'on_bad_rows': bad_rows, 'properties': properties}) }}
{% endmacro %}
