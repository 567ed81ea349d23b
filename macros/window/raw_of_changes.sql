{# the raw table that changes() left its mark on; a query may read one, and no more #}
{% macro raw_of_changes(sql, model_name) %}
    {%- set found = modules.re.findall('/[*] changes[(](.+?)[)] [*]/', sql) | unique | list -%}
    {%- if found | length != 1 -%}
        {%- do exceptions.raise_compiler_error(
            model_name ~ ' reads ' ~ (found | join(', ') or 'no raw table') ~ ' by changes(): its '
            ~ 'staging model must read one raw table by changes(source(...)).'
        ) -%}
    {%- endif -%}
    {{ return(found[0]) }}
{% endmacro %}
