{# what lies in the table's buckets already is written as it lies, and not shuffled again #}
{% macro insert_rows_sql(target, changes, shape, lies_in_buckets=false) %}
    insert into {{ target }}{{ " with ('distribution-mode' = 'none')" if lies_in_buckets }}
        ({{ key_columns(shape.merged) }})
    {{ live_rows_sql(changes, shape) | indent(4) }}
    {%- if shape.deletes == 'hard' %} and _op <> 'd'{% endif %}
{% endmacro %}
