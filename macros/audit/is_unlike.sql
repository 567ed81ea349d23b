{# -0.0 equals 0.0, and has another bit; not every nested type compares; two types compare as texts #}
{% macro is_unlike(left, right, kind, tolerance=none) -%}
{%- set is_nested = kind.split('<')[0] in ['array', 'map', 'struct', 'variant'] -%}
{%- if tolerance -%}
    ({{ left }} is distinct from {{ right }} and coalesce({{ distance(left, right, kind) }} > {{ tolerance }}, true))
{%- elif kind in ['float', 'double'] -%}
    cast({{ left }} as string) is distinct from cast({{ right }} as string)
    {{- ' or ' }}{{ left }} is distinct from {{ right }}
{%- elif kind == 'text' -%}
    cast({{ left }} as string) is distinct from cast({{ right }} as string)
{%- elif is_nested -%}
    {{ text_of_nested('struct(' ~ left ~ ' as value)', none) }} is distinct from {{ text_of_nested('struct(' ~ right ~ ' as value)', none) }}
{%- else -%}
    {{ left }} is distinct from {{ right }}
{%- endif -%}
{%- endmacro %}
