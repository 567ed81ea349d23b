{% macro create_cut_sql(relation) %}
    create table if not exists {{ relation }} (
        mirror string,
        snapshot_id bigint,
        complete_until timestamp,
        known_from timestamp
    )
    using iceberg
{% endmacro %}
