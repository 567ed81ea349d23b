{# only pruning changes tombstones #}
{% macro create_tombstones_sql(tombstones, columns, settings, create='create table if not exists') -%}
    {%- set properties = dict(settings.properties, **{'write.merge.mode': 'copy-on-write'}) -%}
    {{ create_mirror_sql(
        tombstones,
        columns | selectattr('name', 'in', settings.key + order_columns()) | list,
        dict(settings, properties=properties),
        create
    ) }}
{%- endmacro %}
