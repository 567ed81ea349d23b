{% macro debezium_event(raw) -%}
    {%- set row = [] -%}
    {%- for column in adapter.declared_columns(raw) -%}
        {%- do row.append(source_fields(column)) -%}
    {%- endfor -%}
    from_json(
        {{ event_text('value') | indent(8) }},
        {{ lakemirror_string(debezium_schema(row | join(', '))) }}
    )
{%- endmacro %}
