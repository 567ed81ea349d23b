{% macro log_text(log) -%}
cast({{ 'null' if log is none else lakemirror_string(log) }} as string)
{%- endmacro %}
