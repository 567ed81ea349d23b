{% macro shown_value(value, kind) -%}
{%- if kind == 'binary' -%}
    concat('0x', lower(hex({{ value }})))
{%- elif kind.startswith('array') or kind.startswith('map') or kind.startswith('struct') or kind == 'variant' -%}
    if({{ value }} is null, null, to_json({{ value }}))
{%- else -%}
    cast({{ value }} as string)
{%- endif -%}
{%- endmacro %}
