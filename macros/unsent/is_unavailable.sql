{# a snapshot reads all values: there the placeholder's text is a value as any other #}
{% macro is_unavailable(value, column) -%}
{%- if column.unavailable and column.type.json == 'binary' -%}
    event.op <> 'r' and {{ value }} = cast({{ lakemirror_string(column.unavailable[0]) }} as binary)
{%- elif column.unavailable -%}
    event.op <> 'r' and {{ value if column.type.json == 'string' else 'to_json(' ~ value ~ ')' }} in (
        {%- for text in column.unavailable %}
        {{ lakemirror_string(text) }}{{ ',' if not loop.last }}
        {%- endfor %}
    )
{%- endif -%}
{%- endmacro %}
