{# what rows got that were there when the column was added; as a Connect schema has it, it is encoded as
   values are #}
{% macro default_value(column) -%}
    {%- set text = lakemirror_string(column.default.text) -%}
    {%- if 'lake' in column.default -%}
        cast({{ text }} as {{ column.default.lake }})
    {%- elif column.default.json == 'binary' -%}
        {{ decoded('unbase64(' ~ text ~ ')', column.type) }}
    {%- else -%}
        {{ decoded('cast(' ~ text ~ ' as ' ~ column.default.json ~ ')', column.type) }}
    {%- endif -%}
{%- endmacro %}
