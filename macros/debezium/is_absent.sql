{# whether the event has no such column, which null does not tell #}
{% macro is_absent(names) -%}
not exists(
    {{ names_at("if(event.after is null, '$.before', '$.after')") | indent(4) }},
    name -> name in (
        {{ texts(names) }}
    )
)
{%- endmacro %}
