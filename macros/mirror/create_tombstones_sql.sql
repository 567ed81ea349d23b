{% macro create_tombstones_sql(tombstones, columns, settings, create='create table if not exists') -%}
    {{ create_mirror_sql(
        tombstones,
        columns | selectattr('name', 'in', settings.key + order_columns()) | list,
        dict(settings, properties=tombstone_properties(settings.properties)),
        create
    ) }}
{%- endmacro %}
