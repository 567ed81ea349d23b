{# a delete is remembered also where the row lives on in another log #}
{% macro tombstones_sql(tombstones, stage, unique_key, is_moved=true) %}
    insert into {{ tombstones }}{{ " with ('distribution-mode' = 'none')" if not is_moved }}
        ({{ key_columns(unique_key + order_columns()) }})
    select {{ key_columns(unique_key) }}, deleted.*
    from {{ stage }}
    lateral view explode(_deletes) as deleted
    where _outcome = 'change'
{% endmacro %}
