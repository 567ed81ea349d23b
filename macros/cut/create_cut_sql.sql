{% macro create_cut_sql(relation, rows) %}
    create or replace table {{ relation }}
    using iceberg
    as
    select *
    from values
        {%- for row in rows or [none] %}
        (
            {{ lakemirror_string(row.mirror) if row else "''" }},
            {{ row.snapshot_id if row else 0 }}L,
            timestamp '{{ row.complete_until if row else '1970-01-01' }}',
            {{ "timestamp '" ~ row.known_from ~ "'" if row and row.known_from else 'cast(null as timestamp)' }}
        ){{ ',' if not loop.last }}
        {%- endfor %}
        as cut (mirror, snapshot_id, complete_until, known_from)
    {{- ' where false' if not rows }}
{% endmacro %}
