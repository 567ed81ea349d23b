{# what rows got that were there when the column was added; as a Connect schema has it, it is encoded as
   values are, or were then #}
{% macro default_value(column) -%}
    {%- set text = lakemirror_string(column.default.text) -%}
    {%- if 'lake' in column.default -%}
        cast({{ text }} as {{ column.default.lake }})
    {%- else -%}
        {%- set sent = 'unbase64(' ~ text ~ ')' if column.default.json == 'binary'
            else 'cast(' ~ text ~ ' as ' ~ column.default.json ~ ')' -%}
        {%- if column.default.type is defined -%}
            try_cast({{ decoded(sent, column.default.type) }} as {{ column.type.lake }})
        {%- else -%}
            {{ decoded(sent, column.type) }}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}
