{# raw has the deletes: a rebuild remembers them by the new key #}
{% macro replace_tombstones_sql(tombstones, columns, settings) -%}
    {{ create_tombstones_sql(tombstones, columns, settings)
        | replace('create table if not exists', 'create or replace table') }}
{%- endmacro %}
