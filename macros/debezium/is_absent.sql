{# whether the event has no such column, which null does not tell #}
{% macro is_absent(names) -%}
not exists(
    json_object_keys(get_json_object(event_text, if(event.after is null, '$.before', '$.after'))),
    name -> name in (
        {{ texts(names) }}
    )
)
{%- endmacro %}
