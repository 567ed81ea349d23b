{# null where it is too large for its type #}
{% macro distance(left, right, kind) -%}
{%- if kind.startswith('timestamp') -%}
    abs(unix_micros(cast({{ left }} as timestamp)) - unix_micros(cast({{ right }} as timestamp))) / 1e6
{%- elif kind == 'date' -%}
    abs(datediff({{ left }}, {{ right }}))
{%- else -%}
    abs(try_subtract({{ left }}, {{ right }}))
{%- endif -%}
{%- endmacro %}
