{% macro merged_columns(columns, deletes) %}
    {{ return(columns + (['_is_deleted', '_deleted_at'] if deletes == 'soft' else [])) }}
{% endmacro %}
