{# a snapshot reads all values: there the placeholder's text is a value as any other #}
{% macro is_unavailable(value, data_type) -%}
    {%- set family = type_family(data_type) | trim -%}
    {%- if family == 'string' -%}
        event.op <> 'r' and {{ value }} in (
            {%- for text in adapter.unavailable_texts(var('unavailable_value')) %}
            {{ lakemirror_string(text) }}{{ ',' if not loop.last }}
            {%- endfor %}
        )
    {%- elif family == 'binary' -%}
        event.op <> 'r' and {{ value }} = cast({{ lakemirror_string(var('unavailable_value')) }} as binary)
    {%- endif -%}
{%- endmacro %}
