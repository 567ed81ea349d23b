{% macro soft_columns(deletes) %}
    {{ return([
        {'name': '_is_deleted', 'data_type': 'boolean'},
        {'name': '_deleted_at', 'data_type': 'timestamp'},
    ] if deletes == 'soft' else []) }}
{% endmacro %}
