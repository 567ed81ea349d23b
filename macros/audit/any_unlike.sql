{# some column of two rows, which are called mirror and log #}
{% macro any_unlike(rows) -%}
{%- for name in rows.compared -%}
{{ is_unlike('mirror.' ~ quoted(name), 'log.' ~ quoted(name), rows.types[name], rows.tolerances.get(name)) }}
{{- ' or ' if not loop.last }}
{%- else -%}
false
{%- endfor -%}
{%- endmacro %}
