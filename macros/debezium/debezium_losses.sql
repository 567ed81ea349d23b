{% macro debezium_losses(raw) -%}
{%- set columns = adapter.declared_columns(raw) -%}
{{ undecodable(columns) }} as _undecodable,
{{ undeclared(adapter.declared_names(raw), adapter.gone_names(raw)) }} as _undeclared
{%- if 'postgresql' in columns | map(attribute='connector') | list %},
{{ unsent(unsent_names(columns)) }} as _unsent
{%- endif %}
{%- endmacro %}
