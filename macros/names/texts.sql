{% macro texts(names) -%}
{%- for name in names -%}
    {{ lakemirror_string(name) }}{{ ', ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
