{# by name; those that are not known are named, and null #}
{% macro default_values(raw, new_names, model_name) %}
    {%- set found = {} -%}
    {%- for column in adapter.columns_with_defaults(raw) -%}
        {%- if column.default -%}
            {%- do found.update({column.name: default_value(column)}) -%}
        {%- elif column.name in new_names -%}
            {%- do exceptions.warn(default_warning(column, model_name)) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}
