{# the tombstones first: where there is a mirror, there are its tombstones #}
{% macro create_mirror(target, columns, settings) %}
    {%- set missing = settings.key | reject('in', columns | map(attribute='name') | list) | list -%}
    {%- if missing -%}
        {%- do refuse_settings(
            ['unique_key: the query has no column ' ~ missing | join(', ')], model.name
        ) -%}
    {%- endif -%}
    {%- do run_query(create_tombstones_sql(tombstones_of(target), columns, settings)) -%}
    {%- do run_query(create_mirror_sql(
        target, columns + soft_columns(settings.deletes), settings
    )) -%}
{% endmacro %}
