{% macro renew_sql(target, column) %}
    update {{ target }} set {{ quoted(column.name) }} = {{ column.default or 'null' }}
    where {{ is_outlived(column, quoted(column.name)) | indent(4) }}
{% endmacro %}
