{# one commit: a reader finds all snapshots of one time #}
{% macro cut_sql(relation, rows) %}
    insert overwrite {{ relation }} values
    {%- for row in rows %}
    (
        {{ lakemirror_string(row.mirror) }},
        {{ row.snapshot_id }}L,
        timestamp '{{ row.complete_until }}',
        {{ "timestamp '" ~ row.known_from ~ "'" if row.known_from else 'null' }}
    ){{ ',' if not loop.last }}
    {%- endfor %}
{% endmacro %}
