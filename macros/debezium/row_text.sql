{# as Debezium writes a row, with the same library #}
{% macro row_text(sent) -%}
to_json(
    struct(
        {%- for few in sent | batch(6) %}
        {% for name in few %}event.after.{{ quoted(name) }}{{ ', ' if not loop.last }}{% endfor %}
        {{- ',' if not loop.last }}
        {%- endfor %}
    ),
    map('ignoreNullFields', 'false')
)
{%- endmacro %}
