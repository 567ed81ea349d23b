{# what lies in the table's buckets already, or is one task's, is written as it lies, and not shuffled again #}
{% macro insert_rows_sql(target, changes, shape, is_moved=true) %}
    insert into {{ target }}{{ " with ('distribution-mode' = 'none')" if not is_moved }}
        ({{ key_columns(shape.merged) }})
    {{ live_rows_sql(changes, shape) | indent(4) }}
    {%- if shape.deletes == 'hard' %} and _op <> 'd'{% endif %}
{% endmacro %}
