{# a snapshot reads all values: there the placeholder's text is a value as any other #}
{% macro is_unavailable(value, column) -%}
    {%- if column.connector == 'postgresql' and column.type.json == 'binary' -%}
        event.op <> 'r' and {{ value }} = cast({{ lakemirror_string(var('unavailable_value')) }} as binary)
    {%- elif column.connector == 'postgresql'
        and (column.type.json == 'string' or column.type.json.startswith('array<')) -%}
        event.op <> 'r' and {{ value if column.type.json == 'string' else 'to_json(' ~ value ~ ')' }} in (
            {%- for text in adapter.unavailable_texts(var('unavailable_value')) %}
            {{ lakemirror_string(text) }}{{ ',' if not loop.last }}
            {%- endfor %}
        )
    {%- endif -%}
{%- endmacro %}
