{# whether the event has no such column, which null does not tell #}
{% macro is_absent(names) -%}
    not exists(
        json_object_keys(get_json_object(
            {{ event_text('value') | indent(12) }},
            if(event.after is null, '$.before', '$.after')
        )),
        name -> name in (
            {%- for name in names %}
            {{ lakemirror_string(name) }}{{ ',' if not loop.last }}
            {%- endfor %}
        )
    )
{%- endmacro %}
