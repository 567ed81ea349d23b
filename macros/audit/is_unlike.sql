{# -0.0 equals 0.0, and has another bit; not every nested type compares #}
{% macro is_unlike(left, right, kind) -%}
{%- if kind in ['float', 'double'] -%}
    cast({{ left }} as string) is distinct from cast({{ right }} as string)
    {{- ' or ' }}{{ left }} is distinct from {{ right }}
{%- elif kind.startswith('array') or kind.startswith('map') or kind.startswith('struct') or kind == 'variant' -%}
    to_json(struct({{ left }} as value)) is distinct from to_json(struct({{ right }} as value))
{%- else -%}
    {{ left }} is distinct from {{ right }}
{%- endif -%}
{%- endmacro %}
