{# the tombstones first: where there is a mirror, there are its tombstones. Only pruning changes them #}
{% macro create_mirror(target, columns, settings) %}
    {%- set properties = dict(settings.properties, **{'write.merge.mode': 'copy-on-write'}) -%}
    {%- do run_query(create_mirror_sql(
        tombstones_of(target),
        columns | selectattr('name', 'in', settings.key + order_columns()) | list,
        dict(settings, properties=properties)
    )) -%}
    {%- do run_query(create_mirror_sql(
        target, columns + soft_columns(settings.deletes), settings
    )) -%}
{% endmacro %}
