{# the tombstones first: where there is a mirror, there are its tombstones #}
{% macro create_mirror(target, columns, settings) %}
    {%- do run_query(create_mirror_sql(
        tombstones_of(target),
        columns | selectattr('name', 'in', settings.key + order_columns()) | list,
        dict(settings, deletes='hard')
    )) -%}
    {%- do run_query(create_mirror_sql(target, columns, settings)) -%}
{% endmacro %}
