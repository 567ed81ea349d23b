{% macro debezium_losses(raw) -%}
{%- set source = adapter.source_of(raw) -%}
{%- set columns = source.columns -%}
{{ undecodable(columns) }} as _undecodable,
{{ undeclared(source.names, source.gone, source.sent) }} as _undeclared
{%- if 'postgresql' in columns | map(attribute='connector') | list %},
{{ unsent(unsent_names(columns)) }} as _unsent
{%- endif %}
{%- endmacro %}
