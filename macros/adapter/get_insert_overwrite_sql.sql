{# by the partitions that are in the result: the materialization sets the mode to dynamic #}
{% macro get_insert_overwrite_sql(source_relation, target_relation, existing_relation) %}
    insert overwrite {{ target_relation }} by name
    select * from {{ source_relation }}
{% endmacro %}
