{% macro mirror_texts_sql(relation, deletes, table, keys) %}
    {%- set is_asked -%}
        {{ canonical_row(table.key) | indent(8) }} in (
            {%- for text in keys %}{{ lakemirror_string(text) }}{{ ', ' if not loop.last }}{% endfor -%}
        )
    {%- endset -%}
    select
        {{ canonical_texts(table.key) | indent(8) }} as key_texts,
        {{ canonical_texts(table.columns) | indent(8) }} as row_texts,
        cast(_src_ts as string) as event_time,
        to_json(struct({{ key_columns(order_columns()) }})) as event
    from {{ relation }}
    where {{ is_asked }}
    {%- if deletes %}
    union all
    select
        {{ canonical_texts(table.key) | indent(8) }} as key_texts,
        cast(null as array<string>) as row_texts,
        cast(_src_ts as string) as event_time,
        to_json(struct({{ key_columns(order_columns()) }})) as event
    from {{ deletes }}
    where {{ is_asked }}
    {%- endif %}
{% endmacro %}
