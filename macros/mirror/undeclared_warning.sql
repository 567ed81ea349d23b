{% macro undeclared_warning(names, model_name) -%}
    the events have columns that nobody declares, and their values are lost: {{ names }}. Declare them in
    {{- ' ' }}the source's YAML, and rebuild: {{ rebuild_command(model_name) }}. Or name there what is to be left
    {{- ' ' }}out: config.meta.ignored_columns of the table.
{%- endmacro %}
