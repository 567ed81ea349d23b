{% macro debezium_losses(raw) -%}
{%- set columns = adapter.declared_columns(raw) -%}
{%- set names = adapter.names_of(raw) -%}
{{ undecodable(columns) }} as _undecodable,
{{ undeclared(names.declared, names.gone) }} as _undeclared
{%- if 'postgresql' in columns | map(attribute='connector') | list %},
{{ unsent(unsent_names(columns)) }} as _unsent
{%- endif %}
{%- endmacro %}
