{# from_json leaves out in silence what it is not asked for #}
{% macro undeclared(names) -%}
    filter(
        json_object_keys(get_json_object({{ event_text('value') | indent(8) }}, '$.after')),
        name -> name not in (
            {%- for name in names %}
            {{ lakemirror_string(name) }}{{ ',' if not loop.last }}
            {%- endfor %}
        )
    )
{%- endmacro %}
