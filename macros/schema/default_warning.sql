{% macro default_warning(column, model_name) -%}
    {{ model_name }}: the default of the new column {{ column.name }} is not known:
    {{- ' ' }}{{ column.default_problem }}. It is null in the rows that were there before. If they got
    {{- ' ' }}a value, say which one in the source's YAML, config.meta.default of the column, and rebuild:
    {{- ' ' }}{{ rebuild_command(model_name) }}
{%- endmacro %}
