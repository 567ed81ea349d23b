{# as a Connect schema has it, it is encoded as values are, or were then #}
{% macro default_value(column) -%}
{%- set text = lakemirror_string(column.default.text) -%}
{%- if 'lake' in column.default -%}
    {%- set typed = 'cast(' ~ text ~ ' as ' ~ column.default.lake ~ ')' -%}
{%- else -%}
    {%- set sent = 'unbase64(' ~ text ~ ')' if column.default.json == 'binary'
        else 'cast(' ~ text ~ ' as ' ~ column.default.json ~ ')' -%}
    {%- set typed = decoded(sent, column.type) if column.default.type is not defined
        else 'try_cast(' ~ decoded(sent, column.default.type) ~ ' as ' ~ column.type.lake ~ ')' -%}
{%- endif -%}
{{ converted(typed, column) }}
{%- endmacro %}
