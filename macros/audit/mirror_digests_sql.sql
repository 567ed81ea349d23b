{% macro mirror_digests_sql(relation, table, digits, groups) %}
    select
        {{ canonical_texts(table.key) | indent(8) }} as key_texts,
        md5({{ canonical_row(table.columns) | indent(8) }}) as row_digest
    from {{ relation }}
    where
        substr(md5({{ canonical_row(table.key) | indent(8) }}), 1, {{ digits }}) in (
            {%- for name in groups %}{{ lakemirror_string(name) }}{{ ', ' if not loop.last }}{% endfor -%}
        )
{% endmacro %}
