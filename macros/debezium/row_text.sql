{# as Debezium writes a row, with the same library #}
{% macro row_text(sent) -%}
to_json(
    struct(
        {{ key_columns(sent, 'event.after') }}
    ),
    map('ignoreNullFields', 'false')
)
{%- endmacro %}
