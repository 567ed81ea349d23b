{% macro undeclared_problem(names) -%}
    The events have columns that nobody declares, and their values would be lost: {{ names }}. Land the
    {{- ' ' }}schema-change topic and run again, or declare them in the source's YAML, or name there what is to be
    {{- ' ' }}left out: config.meta.ignored_columns of the table. With on_undeclared 'warn' the run goes on.
{%- endmacro %}
