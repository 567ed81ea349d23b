{# the texts that lakemirror.source.canonical lets the source's database compute #}
{% macro canonical_text(column) -%}
{%- set value = quoted(column.name) -%}
{%- if column.kind == 'bytes' -%}
    lower(hex({{ value }}))
{%- elif column.kind == 'padded' -%}
    regexp_replace(lower(hex({{ value }})), '(00)+$', '')
{%- elif column.kind == 'scaled' -%}
    regexp_replace(if({{ value }} like '%.%', regexp_replace({{ value }}, '0+$', ''), {{ value }}), '[.]$', '')
{%- elif column.kind == 'days' -%}
    cast(unix_date({{ value }}) as string)
{%- elif column.kind == 'float' -%}
    if({{ value }} is null, null, java_method('java.lang.Double', 'doubleToLongBits', cast({{ value }} as double)))
{%- elif column.kind == 'micros' -%}
    cast(unix_micros(cast({{ value }} as timestamp)) as string)
{%- else -%}
    cast({{ value }} as string)
{%- endif -%}
{%- endmacro %}
