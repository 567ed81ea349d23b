{# what a mirror keeps of its query's columns: name and data_type #}
{% macro mirrored_columns(query) %}
    {{ return(
        query_columns(query) | rejectattr('name', 'in', ['_undecodable', '_src_snapshot']) | list
    ) }}
{% endmacro %}
